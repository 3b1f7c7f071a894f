import { CallDeadline } from '@latchhook/core/storage';
import { mutexOf } from './connection-mutex.ts';
import { ALL_MIGRATIONS } from './migrations.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { checkedDatabase, type SqliteDatabase } from './sqlite-database.ts';

/** How long `migrate` waits for other connections, ms. */
const DEADLINE_MS = 10_000;

const CREATE_MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS latchhook_migrations (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at_ms INTEGER NOT NULL
) STRICT`;

/**
 * Migrates the tables of a file to the state that this version of the package needs, and switches the file to
 * write-ahead logging permanently. Run it before the storage is used.
 *
 * Atomicity: one transaction. Idempotency: run it any number of times, in any number of processes, which migrate one at
 * a time. It changes nothing if a later version has migrated.
 *
 * @param database - an open connection; its `busy_timeout` is set to 0
 * @throws {ConfigError} `options_invalid`
 * @throws {StorageUnavailableError} if the file cannot be written, or is in use for ten seconds
 * @example
 * ```ts
 * import { migrate, sqliteStorage } from '@latchhook/sqlite';
 * import Database from 'better-sqlite3';
 *
 * const database = new Database('auth.db');
 * await migrate(database);
 * const storage = sqliteStorage({ database });
 * ```
 */
export async function migrate(database: SqliteDatabase): Promise<void> {
  const connection = new SqliteConnection(checkedDatabase('migrate', database));
  await mutexOf(database).run(new CallDeadline('SQLite', DEADLINE_MS), () => {
    // The mutex retries instead: SQLite's own wait would block the thread.
    connection.exec('PRAGMA busy_timeout = 0');
    connection.exec('PRAGMA journal_mode = WAL');
    return connection.transaction(() => applyMissingMigrations(connection));
  });
}

function applyMissingMigrations(connection: SqliteConnection): void {
  connection.exec(CREATE_MIGRATIONS_TABLE);
  const rows = connection.all('SELECT number FROM latchhook_migrations');
  // The host may have configured integers as bigints.
  const applied = rows.map(([number]) => Number(number));
  for (const { number, name, sql } of ALL_MIGRATIONS) {
    if (applied.includes(number)) continue;
    connection.exec(sql);
    connection.run('INSERT INTO latchhook_migrations VALUES (?, ?, ?)', number, name, Date.now());
  }
}
