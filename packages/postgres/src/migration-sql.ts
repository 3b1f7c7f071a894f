import { createHash } from 'node:crypto';
import { assertNames, type NamesOf } from '@latchhook/core/storage';
import { dueChannel } from './due-channel.ts';
import { ALL_FUNCTIONS } from './functions/all-functions.ts';
import { ALL_MIGRATIONS } from './migrations/all-migrations.ts';
import type { Migration } from './migrations/migration.ts';
import { checkedSchemaName, DEFAULT_SCHEMA, quotedName } from './schema-name.ts';

/** The schema of {@link migrate} and {@link migrationSql}. */
export interface MigrationOptions {
  /**
   * A schema only for Latchhook. A role with USAGE on it may do everything that the app may; never `public`, where
   * every role has USAGE. Lower-case letters, digits and underscores. Default: `latchhook`.
   */
  readonly schema?: string;
}

const NAMES: NamesOf<MigrationOptions> = { schema: true };

/** One statement of a migration. */
export interface MigrationStatement {
  /** What the statement creates, for error messages. */
  readonly creates: string;
  readonly sql: string;
}

/**
 * The statements of {@link migrate} as a script for `psql` or your own migration tool, in one transaction.
 *
 * Idempotency: it may be run any number of times, also in parallel.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `postgres_schema_invalid`
 */
export function migrationSql(options: MigrationOptions = {}): string {
  assertNames('migrationSql', 'options_invalid', options, NAMES);
  // Under another isolation level, a migration that has waited for the lock would see the schema as it was before the
  // other migration.
  const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED';
  const statements = migrationStatements(options).map(({ sql }) => sql);
  return [begin, ...statements, 'COMMIT'].map((statement) => `${statement};\n`).join('\n');
}

/**
 * The statements of a migration, to be run in one transaction (READ COMMITTED).
 *
 * Tables are changed by numbered migrations, each applied once. Functions hold no data, so they are redefined whenever
 * they differ from those of this version, and fixing one needs no migration. If the types of its arguments change, a
 * function becomes an overload, and processes of the old version still call the old function. PostgreSQL does not
 * replace a function if only the names of its parameters change: see
 * `docs/adr/0006-treat-stored-key-and-column-names-as-a-format.md`.
 */
export function migrationStatements({
  schema = DEFAULT_SCHEMA,
}: MigrationOptions): readonly MigrationStatement[] {
  checkedSchemaName(schema);
  return [
    {
      creates: 'the turn of this migration',
      // The lock is released when the transaction ends, whether it commits or not.
      sql: `SELECT pg_advisory_xact_lock(hashtextextended('latchhook.migrations.${schema}', 0))`,
    },
    { creates: 'the schema', sql: beginSchema(schema) },
    ...ALL_MIGRATIONS.map((migration) => ({
      creates: `migration ${migration.number} (${migration.name})`,
      sql: applyOnce(migration),
    })),
    { creates: 'the functions', sql: defineFunctions(schema) },
  ];
}

/**
 * How long a migration waits for a table that is in use, ms. Calls that need the table wait until the migration has it
 * or gives up, so this time is shorter than their deadline, a second by default.
 */
const LOCK_TIMEOUT_MS = 500;

/**
 * Checks whether the schema exists. `CREATE SCHEMA IF NOT EXISTS` would not do: for a role that may not create schemas,
 * it fails even if the schema exists.
 */
function beginSchema(schema: string): string {
  return `DO $migration$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}') THEN
    CREATE SCHEMA ${quotedName(schema)};
  END IF;
  PERFORM set_config('search_path', '${quotedName(schema)}, pg_catalog', true);
  PERFORM set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true);
  CREATE TABLE IF NOT EXISTS migrations (
    number int PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
END
$migration$`;
}

function applyOnce({ number, name, sql }: Migration): string {
  return `DO $migration$
BEGIN
  IF NOT EXISTS (SELECT FROM migrations WHERE number = ${number}) THEN
    INSERT INTO migrations (number, name) VALUES (${number}, '${name}');
${sql.trim()}
  END IF;
END
$migration$`;
}

/**
 * Row number 0 of `migrations` stands for the functions; its name has their hash. If a later version has migrated, the
 * functions of that version stay. Otherwise a process of this version that starts during the deploy would restore
 * functions that do not know the new tables.
 */
function defineFunctions(schema: string): string {
  const names = [quotedName(schema), dueChannel(schema)] as const;
  const definitions = ALL_FUNCTIONS.map(({ define }) => `${define(...names)};`).join('\n\n');
  const name = `functions ${createHash('sha256').update(definitions).digest('hex').slice(0, 16)}`;
  return `DO $migration$
BEGIN
  IF NOT EXISTS (
    SELECT FROM migrations WHERE number > ${ALL_MIGRATIONS.length} OR number = 0 AND name = '${name}'
  ) THEN
    INSERT INTO migrations (number, name) VALUES (0, '${name}')
      ON CONFLICT (number) DO UPDATE SET name = excluded.name, applied_at = excluded.applied_at;

${definitions}
  END IF;
END
$migration$`;
}
