import { createHash } from 'node:crypto';
import { assertNames, type NamesOf } from '@latchhook/core';
import { ALL_FUNCTIONS } from './functions/all-functions.ts';
import { ALL_MIGRATIONS } from './migrations/all-migrations.ts';
import type { Migration } from './migrations/migration.ts';
import { checkedSchemaName, DEFAULT_SCHEMA } from './schema-name.ts';

/** What {@link migrate} and {@link migrationSql} work on. */
export interface MigrationOptions {
  /**
   * Where everything is kept, and nothing else: who may use the schema may do all that the app may, which is
   * every role in `public`. Small letters, digits, underscores; never `public`. Default: `latchhook`.
   */
  readonly schema?: string;
}

const NAMES: NamesOf<MigrationOptions> = { schema: true };

/**
 * What {@link migrate} does, as a script for `psql` or a migration tool of your own: one transaction.
 *
 * Idempotency: it may be run any number of times, by any number at once.
 *
 * @throws ConfigError `options_invalid`, `option_unknown`, `postgres_schema_invalid`
 */
export function migrationSql(options: MigrationOptions = {}): string {
  // Under any other level all that waited for their turn would see the schema as it was before.
  const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED';
  const statements = [begin, ...migrationStatements('migrationSql', options), 'COMMIT'];
  return statements.map((statement) => `${statement};\n`).join('\n');
}

/**
 * The statements of a migration, to be run in one transaction (READ COMMITTED).
 *
 * Tables are changed by numbered migrations, each of them once. Functions hold no data: they are defined anew
 * whenever they differ from those of this version, so that a bug in one needs no number of its own. One that
 * takes other arguments is a function beside the old, which processes of the old version go on calling.
 *
 * @param asker whose options they are
 */
export function migrationStatements(asker: string, options: MigrationOptions): string[] {
  assertNames(asker, 'options_invalid', options, NAMES);
  const { schema = DEFAULT_SCHEMA } = options;
  checkedSchemaName(schema);
  return [
    // Released when the transaction ends, however it does.
    `SELECT pg_advisory_xact_lock(hashtextextended('latchhook.migrations.${schema}', 0))`,
    beginSchema(schema),
    ...ALL_MIGRATIONS.map(applyOnce),
    defineFunctions(schema),
  ];
}

/**
 * How long a migration waits for a table that somebody has in use: all calls that need it wait behind the migration. Less
 * than their deadline, which is a second by default.
 */
const LOCK_TIMEOUT_MS = 500;

/** Whether the schema is there is asked first: who may not make schemas may not even make one that is there. */
function beginSchema(schema: string): string {
  return `DO $migration$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}') THEN
    CREATE SCHEMA ${schema};
  END IF;
  PERFORM set_config('search_path', '${schema}, pg_catalog', true);
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
 * Number 0 is of the functions, and its name tells which they are. Where a later version has migrated, its functions stay:
 * a process of this version that starts amid the deploy would put those back that know nothing of the newer tables.
 */
function defineFunctions(schema: string): string {
  const definitions = ALL_FUNCTIONS.map(({ define }) => `${define(schema)};`).join('\n\n');
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
