import { type Storage, storageOn } from '@latchhook/core/storage';
import { checkedOptions, type SqliteStorageOptions, sqliteEngine } from './sqlite-engine.ts';

/**
 * Stores everything in a SQLite file. Run {@link migrate} on it first.
 *
 * Atomicity: every transition is one transaction, which takes the lock of the file before it reads.
 *
 * Concurrency: any number of processes of one machine may share a file. Each process has its own connection, on which
 * transactions run one at a time. If another process has locked the file, a transaction is retried until the deadline,
 * without blocking the event loop.
 *
 * Expiry: expired rows are ignored, and deleted by later writes, ten at a time.
 *
 * Security: the file contains neither tokens nor anything from which a token could be derived, and secrets only
 * encrypted. It contains user ids, and addresses and user agents of logins.
 *
 * The storage never closes the connection. It sets `busy_timeout` to 0, and `synchronous` to `FULL`, so that committed
 * transitions survive a loss of power.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`
 * @example
 * ```ts
 * import { createAuth, type UserStore } from '@latchhook/core';
 * import { migrate, sqliteStorage } from '@latchhook/sqlite';
 * import Database from 'better-sqlite3';
 *
 * declare const users: UserStore;
 *
 * const database = new Database('auth.db');
 * await migrate(database);
 * const storage = sqliteStorage({ database });
 * const auth = createAuth({ issuer: 'https://api.example.com', users, storage });
 * ```
 */
export function sqliteStorage(options: SqliteStorageOptions): Required<Storage> {
  const checked = checkedOptions('sqliteStorage', options);
  const { database: _, ...settings } = checked;
  return storageOn(sqliteEngine(checked), settings);
}
