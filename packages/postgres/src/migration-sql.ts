import { createHash } from 'node:crypto';
import { assertNames, type NamesOf } from '@latchhook/core/storage';
import { ALL_FUNCTIONS } from './functions/all-functions.ts';
import { ALL_MIGRATIONS } from './migrations/all-migrations.ts';
import type { Migration } from './migrations/migration.ts';
import { outboxChannel } from './outbox-channel.ts';
import { checkedSchemaName, DEFAULT_SCHEMA, quotedName } from './schema-name.ts';

/** Where {@link migrate} and {@link migrationSql} work. */
export interface MigrationOptions {
  /**
   * The schema that holds everything of ours, and nothing else. A role with USAGE on it may do all that the app may,
   * and in `public` every role has that. Small letters, digits, underscores; never `public`. Default: `latchhook`.
   */
  readonly schema?: string;
}

const NAMES: NamesOf<MigrationOptions> = { schema: true };

/** One statement of a migration. */
export interface MigrationStatement {
  /** What it makes, for error messages. */
  readonly makes: string;
  readonly sql: string;
}

/**
 * What {@link migrate} does, as a script for `psql` or your own migration tool: one transaction.
 *
 * Idempotency: it may be run any number of times, by any number at once.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `postgres_schema_invalid`
 */
export function migrationSql(options: MigrationOptions = {}): string {
  assertNames('migrationSql', 'options_invalid', options, NAMES);
  // Under any other level a migration that waited for its turn would see the schema as it was before the other.
  const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED';
  const statements = migrationStatements(options).map(({ sql }) => sql);
  return [begin, ...statements, 'COMMIT'].map((statement) => `${statement};\n`).join('\n');
}

/**
 * The statements of a migration, to be run in one transaction (READ COMMITTED).
 *
 * Tables are changed by numbered migrations, each applied once. Functions hold no data: they are redefined whenever
 * they differ from those of this version, so that fixing one needs no migration. One that takes arguments of other
 * types is defined beside the old one, which processes of the old version go on calling. Where the names alone change,
 * PostgreSQL declines to replace it: `docs/adr/0006-treat-stored-key-and-column-names-as-a-format.md` says what to do
 * instead.
 */
export function migrationStatements({
  schema = DEFAULT_SCHEMA,
}: MigrationOptions): readonly MigrationStatement[] {
  checkedSchemaName(schema);
  return [
    {
      makes: 'the turn of this migration',
      // Released when the transaction ends, whether it commits or not.
      sql: `SELECT pg_advisory_xact_lock(hashtextextended('latchhook.migrations.${schema}', 0))`,
    },
    { makes: 'the schema', sql: beginSchema(schema) },
    ...ALL_MIGRATIONS.map((migration) => ({
      makes: `migration ${migration.number} (${migration.name})`,
      sql: applyOnce(migration),
    })),
    { makes: 'the functions', sql: defineFunctions(schema) },
  ];
}

/**
 * How long a migration waits for a table that is in use, ms. Calls that need the table wait behind the migration, so
 * this is less than their deadline, a second by default.
 */
const LOCK_TIMEOUT_MS = 500;

/** Not `CREATE SCHEMA IF NOT EXISTS`: a role that may not create schemas is rejected that even if the schema exists. */
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
 * Row number 0 stands for the functions; its name has their hash. Where a later version has migrated, its functions
 * stay: a process of this version that starts amid the deploy would put back functions that do not know the new tables.
 */
function defineFunctions(schema: string): string {
  const names = [quotedName(schema), outboxChannel(schema)] as const;
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
