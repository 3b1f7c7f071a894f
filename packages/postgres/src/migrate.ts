import { setTimeout as timeout } from 'node:timers/promises';
import { assertNames, type NamesOf } from '@latchhook/core/storage';
import type { Database } from './database/database.ts';
import { type PostgresConnection, toDatabase } from './database/to-database.ts';
import {
  type MigrationOptions,
  type MigrationStatement,
  migrationStatements,
} from './migration-sql.ts';
import { readSqlError } from './sql-error.ts';

/** How {@link migrate} works. Every option has a default. */
export interface MigrateOptions extends MigrationOptions {
  /** Resolves after this time, ms; called between two attempts. For tests. Default: a timer of Node.js. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

const NAMES: NamesOf<MigrateOptions> = { schema: true, pause: true };

/** The SQLSTATE for a lock that was not granted in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Each attempt waits half a second for a lock, so all attempts take at most ten seconds if one table is in use. */
const ATTEMPTS = 7;

/** The delay between two attempts, ms, in which the calls that waited for the migration's lock are served. */
const PAUSE_MS = 1_000;

/**
 * Migrates the schema to the state that this version of the package needs. Run it in a deploy, before the processes of
 * the new version start, with a role that may create objects.
 *
 * Atomicity: one transaction. Idempotency: it may be run any number of times, by any number of processes, which run it
 * one at a time. From the first release on, processes of the previous version keep working.
 *
 * If a table that it changes is in use, it waits for half a second, and tries seven times, a second apart.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `postgres_schema_invalid`
 * @throws an `Error` that names the migration, with the driver's error as its `cause` (`code` `55P03`), if a table
 *   stays in use. Nothing has changed: end the transaction that uses it, and run `migrate` again.
 * @throws the driver's error if PostgreSQL rejects a statement or cannot be reached.
 * @example
 * ```ts
 * import { migrate } from '@latchhook/postgres';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: 'postgres://owner@localhost/app' });
 * await migrate(pool);
 * await pool.end();
 * ```
 */
export async function migrate(
  connection: PostgresConnection,
  options: MigrateOptions = {},
): Promise<void> {
  assertNames('migrate', 'options_invalid', options, NAMES);
  const { pause = (ms) => timeout(ms) } = options;
  const statements = migrationStatements(options);
  const database = toDatabase(connection);
  for (let attempt = 1; ; attempt += 1) {
    const lockError = await runOnce(database, statements);
    if (lockError === null) return;
    if (attempt === ATTEMPTS) throw lockError;
    await pause(PAUSE_MS);
  }
}

/** Resolves to an error if a table is in use, and to `null` if everything is done. */
async function runOnce(
  database: Database,
  statements: readonly MigrationStatement[],
): Promise<Error | null> {
  let currentStep = '';
  try {
    await database.transaction(async (transaction) => {
      for (const statement of statements) {
        currentStep = statement.creates;
        await transaction.query(statement.sql, []);
      }
    });
    return null;
  } catch (cause) {
    if (readSqlError(cause)?.code !== LOCK_NOT_AVAILABLE) throw cause;
    return new Error(
      `${currentStep} waits for a table that a transaction left open, or a dump, is using. Nothing was changed: end that, and run migrate again.`,
      { cause },
    );
  }
}
