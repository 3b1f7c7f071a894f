import type { CallDeadline, StoreFinding } from '@latchhook/core/storage';
import type { Database, Row } from './database/database.ts';
import {
  GUARD_PARAMETERS,
  type SqlDefinition,
  type SqlFunction,
  sqlTypeOf,
} from './define-function.ts';
import { ALL_FUNCTIONS } from './functions/all-functions.ts';
import { quotedName } from './schema-name.ts';

/** The README states the same version. */
const LEAST_VERSION = 15;

/** Settings of the server and privileges on the schema, from the catalogue, which every role may read. */
const SERVER = `SELECT
  current_setting('server_version_num')::int / 10000 AS version,
  current_setting('server_encoding') AS encoding,
  current_setting('default_transaction_isolation') AS isolation,
  current_setting('transaction_read_only')::boolean AS is_read_only,
  current_user::text AS role,
  EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS has_schema,
  coalesce((SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = $1), false)
    AS may_use`;

/** The functions of the schema with their parameters, and whether the role may call them. */
const FUNCTIONS = `SELECT
  proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' AS signature,
  has_function_privilege(p.oid, 'EXECUTE') AS may_execute
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1`;

/**
 * The tables that the owner of a function may not read or write. The functions run with the privileges of their owner.
 */
const TABLES = `SELECT DISTINCT c.relname::text AS name, p.proowner::regrole::text AS owner
FROM pg_proc p
JOIN pg_namespace n ON n.oid = p.pronamespace
JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r'
WHERE n.nspname = $1 AND p.prosecdef AND NOT (
  has_table_privilege(p.proowner, c.oid, 'SELECT') AND has_table_privilege(p.proowner, c.oid, 'INSERT')
  AND has_table_privilege(p.proowner, c.oid, 'UPDATE') AND has_table_privilege(p.proowner, c.oid, 'DELETE')
) ORDER BY name`;

const FIX_MIGRATION = 'run migrate(pool) of this version of @latchhook/postgres in the deploy';

/** All problems with the schema and the server that the catalogue shows. */
export async function schemaFindings(
  database: Database,
  schema: string,
  deadline: CallDeadline,
): Promise<readonly StoreFinding[]> {
  const query = (text: string) => database.query(text, [schema], deadline);
  const [server = {}] = await query(SERVER);
  const problems = serverFindings(server);
  if (server['has_schema'] !== true) {
    return [...problems, notMigrated(`there is no schema ${schema}`)];
  }
  if (server['may_use'] !== true) {
    const grant = `GRANT USAGE ON SCHEMA ${quotedName(schema)} TO ${String(server['role'])}`;
    return [...problems, notPermitted(`the role of this pool may not use the schema: ${grant}`)];
  }
  const functions = await query(FUNCTIONS);
  const tables = await query(TABLES);
  return [
    ...problems,
    ...functionFindings(functions, schema, String(server['role'])),
    ...tableFindings(tables),
  ];
}

export function notMigrated(problem: string): StoreFinding {
  return { code: 'storage_not_migrated', message: `${problem}: ${FIX_MIGRATION}` };
}

function notPermitted(message: string): StoreFinding {
  return { code: 'storage_not_permitted', message };
}

function unsafe(message: string): StoreFinding {
  return { code: 'storage_setting_unsafe', message };
}

function serverFindings(server: Row): readonly StoreFinding[] {
  const { version, encoding, isolation, is_read_only: isReadOnly } = server;
  const findings: StoreFinding[] = [];
  if (Number(version) < LEAST_VERSION) {
    const message = `PostgreSQL is ${String(version)}: use ${LEAST_VERSION} or later`;
    findings.push({ code: 'storage_version_unsupported', message });
  }
  if (encoding !== 'UTF8') findings.push(unsafe('the encoding of the database must be UTF8'));
  if (isolation !== 'read committed') {
    const setting = 'default_transaction_isolation';
    findings.push(unsafe(`${setting} must be read committed for the role of this pool`));
  }
  if (isReadOnly === true) {
    const problem = 'the pool leads to a standby, or its transactions are read only';
    findings.push(unsafe(`${problem}: use the primary`));
  }
  return findings;
}

function functionFindings(
  functions: readonly Row[],
  schema: string,
  role: string,
): readonly StoreFinding[] {
  const mayExecute = new Map(
    functions.map((row) => [String(row['signature']), row['may_execute']]),
  );
  const needed = ALL_FUNCTIONS.filter(isCalled).map(signatureOf);
  const missing = needed.filter((signature) => !mayExecute.has(signature));
  const forbidden = needed.filter((signature) => mayExecute.get(signature) === false);
  const findings: StoreFinding[] = [];
  if (missing.length > 0) {
    findings.push(notMigrated(`the schema ${schema} lacks functions: ${namesOf(missing)}`));
  }
  if (forbidden.length > 0) {
    const grant = `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${quotedName(schema)} TO ${role}`;
    findings.push(
      notPermitted(`the role of this pool may not call ${namesOf(forbidden)}: ${grant}`),
    );
  }
  return findings;
}

function tableFindings(tables: readonly Row[]): readonly StoreFinding[] {
  if (tables.length === 0) return [];
  const names = tables.map((row) => String(row['name'])).join(', ');
  const owner = String(tables[0]?.['owner']);
  return [
    notPermitted(
      `the functions run with the rights of ${owner}, which may not read and write ${names}: let one role own tables and functions, and migrate as that role`,
    ),
  ];
}

/** Whether the package calls this function. The others are steps, which only functions call. */
function isCalled(definition: SqlDefinition): definition is SqlFunction {
  return 'parameters' in definition;
}

function signatureOf({ name, args, parameters }: SqlFunction): string {
  const types = Object.values(args).map(sqlTypeOf);
  const declared = parameters.map((parameter, index) => `${parameter} ${types[index]}`);
  const guards = GUARD_PARAMETERS.map((parameter) => `${parameter} bigint`);
  return `${name}(${[...guards, ...declared].join(', ')})`;
}

/** At most three names: all functions may be missing. */
function namesOf(signatures: readonly string[]): string {
  const names = signatures.map((signature) => signature.slice(0, signature.indexOf('(')));
  const more = names.length - 3;
  return names.slice(0, 3).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
