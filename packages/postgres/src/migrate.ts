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

/** How {@link migrate} works. All of it has a default. */
export interface MigrateOptions extends MigrationOptions {
  /** Resolves after so many ms; called between two attempts. For tests. Default: a timer of Node. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

const NAMES: NamesOf<MigrateOptions> = { schema: true, pause: true };

/** SQLSTATE: a lock was not granted in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/** With half a second of waiting in each, they take ten seconds at most where one table is in use. */
const ATTEMPTS = 7;

/** Between two attempts, so that the calls that waited behind one are served. */
const PAUSE_MS = 1_000;

/**
 * Brings the schema to what this version of the package needs. Run it in a deploy, before the processes of the new
 * version start, with a role that may create.
 *
 * Atomicity: one transaction. Idempotency: it may be run any number of times, by any number of processes at once, which
 * take turns. From the first release on, processes of the version before go on working.
 *
 * A table that must change, and is in use, is waited for: half a second, seven times with a second in between.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `postgres_schema_invalid`
 * @throws an `Error` that names the migration, with that of the driver as its `cause` (`code` `55P03`), where a table
 * stays in use: nothing has changed, so end what uses it, and run it again.
 * @throws the error of the driver where PostgreSQL rejects or cannot be reached.
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
  for (let left = ATTEMPTS - 1; ; left -= 1) {
    const locked = await runOnce(database, statements);
    if (locked === null) return;
    if (left === 0) throw locked;
    await pause(PAUSE_MS);
  }
}

/** Answers an error where a table is in use, and `null` where all is done. */
async function runOnce(
  database: Database,
  statements: readonly MigrationStatement[],
): Promise<Error | null> {
  let makes = '';
  try {
    await database.transaction(async (transaction) => {
      for (const statement of statements) {
        makes = statement.makes;
        await transaction.query(statement.sql, []);
      }
    });
    return null;
  } catch (cause) {
    if (readSqlError(cause)?.code !== LOCK_NOT_AVAILABLE) throw cause;
    return new Error(
      `${makes} waits for a table that a transaction left open, or a dump, is using. Nothing was changed: end that, and run migrate again.`,
      { cause },
    );
  }
}
