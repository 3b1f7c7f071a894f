import type { PostgresAdmin } from '../support/servers/postgres-schemas.ts';
import { formOf } from './form-of.ts';

/** What a schema holds, as a list for readers. The form of a value is the value with placeholders: see `formOf`. */
export interface SchemaForms {
  /** Records the forms of the values in all current rows. */
  look(): Promise<void>;
  /** Lists the tables, with the recorded forms for each column, and the functions, with parameters and results. */
  list(): Promise<string>;
}

export function watchSchema(admin: PostgresAdmin, schema: string): SchemaForms {
  /** The recorded forms, by `table.column`. */
  const seen = new Map<string, Set<string>>();

  return {
    async look() {
      for (const { table, row } of await rowsOf(admin, schema)) {
        const columns: Readonly<Record<string, unknown>> = JSON.parse(String(row));
        for (const [column, value] of Object.entries(columns)) {
          if (value === null || typeof value === 'boolean') continue;
          const name = `${table}.${column}`;
          const text = typeof value === 'string' ? value : JSON.stringify(value);
          seen.set(name, (seen.get(name) ?? new Set()).add(formOf(text)));
        }
      }
    },

    async list() {
      const blocks = [
        ...(await tablesOf(admin, schema, seen)),
        ...(await functionsOf(admin, schema)),
      ];
      return blocks.map((lines) => lines.join('\n  ')).join('\n\n');
    },
  };
}

async function rowsOf(admin: PostgresAdmin, schema: string) {
  const { rows: tables } = await admin.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}' AND tablename <> 'migrations'`,
  );
  const selects = tables.map(
    ({ name }) => `SELECT '${name}' AS table, row_to_json(t)::text AS row FROM ${schema}.${name} t`,
  );
  const { rows } = await admin.query(selects.join(' UNION ALL '));
  return rows;
}

/** The lines for each table. */
async function tablesOf(
  admin: PostgresAdmin,
  schema: string,
  seen: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Iterable<readonly string[]>> {
  const { rows } = await admin.query(
    `SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod)
         || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS type
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relnamespace = '${schema}'::regnamespace AND c.relkind = 'r'
         AND a.attnum > 0 AND NOT a.attisdropped
       ORDER BY c.relname COLLATE "C", a.attname COLLATE "C"`,
  );
  const tables = new Map<unknown, string[]>();
  for (const { table, column, type } of rows) {
    const lines = tables.get(table) ?? [`table ${table}`];
    tables.set(table, lines);
    const forms = [...(seen.get(`${table}.${column}`) ?? [])].sort().join(' | ');
    lines.push(`${column} ${type}${forms === '' ? '' : `: ${forms}`}`);
  }
  return tables.values();
}

interface FunctionText {
  readonly name: string;
  readonly parameters: string;
  readonly result: string;
  readonly text: string;
}

/**
 * The lines for each function. First come the functions that processes call; their lines include the words from which
 * they and their helpers make results. Then come the helpers, which only functions call.
 */
async function functionsOf(
  admin: PostgresAdmin,
  schema: string,
): Promise<readonly (readonly string[])[]> {
  const { rows } = await admin.query(
    `SELECT p.proname AS name, pg_get_function_arguments(p.oid) AS parameters,
         pg_get_function_result(p.oid) AS result, p.prosrc AS text
       FROM pg_proc p WHERE p.pronamespace = '${schema}'::regnamespace
       ORDER BY p.proname COLLATE "C", pg_get_function_arguments(p.oid) COLLATE "C"`,
  );
  const functions: readonly FunctionText[] = JSON.parse(
    JSON.stringify(rows).replaceAll(schema, 'latchhook'),
  );
  const entryPoints = functions.filter(isEntryPoint).map((each) => {
    const texts = [...reachableFrom(each, functions)].map(({ text }) => text);
    return [...signatureOf('function', each), `words: ${wordsOf(texts.join('\n')).join(' ')}`];
  });
  const helpers = functions.filter((each) => !isEntryPoint(each));
  return [...entryPoints, ...helpers.map((each) => signatureOf('helper', each))];
}

/**
 * Whether processes call the function. The first parameter of such a function says when the call expires, except for
 * `write_outbox`, which runs in a transaction of the host. `now_unless_expired` is the helper that checks the expiry.
 */
function isEntryPoint({ name, parameters }: FunctionText): boolean {
  return (
    name === 'write_outbox' ||
    (name !== 'now_unless_expired' && parameters.startsWith('p_command_exp'))
  );
}

function signatureOf(kind: string, { name, parameters, result }: FunctionText): readonly string[] {
  return [`${kind} ${name}`, ...parameters.split(', ').filter(Boolean), `returns ${result}`];
}

/** The function, and all that it calls. */
function reachableFrom(
  first: FunctionText,
  functions: readonly FunctionText[],
): ReadonlySet<FunctionText> {
  const reached = new Set([first]);
  // The iteration over a Set includes members that are added during it.
  for (const { text } of reached) {
    for (const each of functions) {
      if (new RegExp(`\\b${each.name}\\(`).test(text)) reached.add(each);
    }
  }
  return reached;
}

/** What stands in quotes and could be a name: of states, of outcomes, of members of JSON. */
function wordsOf(text: string): readonly string[] {
  const withoutComments = text.replaceAll(/--.*$/gm, '');
  return [...new Set(withoutComments.match(/(?<=')[a-z]\w*(?=')/gi))].sort();
}
