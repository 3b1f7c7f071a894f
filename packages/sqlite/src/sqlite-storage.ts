import { type Clock, systemClock } from '@latchhook/core';
import {
  assertNames,
  boundedInteger,
  type NamesOf,
  type Storage,
  storageOn,
} from '@latchhook/core/storage';
import { checkedDatabase, type SqliteDatabase } from './sqlite-database.ts';
import { SqliteEngine } from './sqlite-engine.ts';

/** How {@link sqliteStorage} uses SQLite. */
export interface SqliteStorageOptions {
  /** An open `Database` of better-sqlite3, or a `DatabaseSync` of `node:sqlite`, which nothing else uses. */
  readonly database: SqliteDatabase;
  /** How long a call waits for its turn and for other processes, ms. Default: 1000. */
  readonly deadlineMs?: number;
  /** Replaces the time, in tests. Default: the clock of the system. */
  readonly clock?: Clock;
}

const NAMES: NamesOf<SqliteStorageOptions> = { database: true, deadlineMs: true, clock: true };

/**
 * Keeps everything in a SQLite file. Run {@link migrate} on it first.
 *
 * Atomicity: every transition is one transaction, which takes the lock of the file before it reads.
 *
 * Concurrency: any number of processes of one machine may share a file; each has one connection of its own, on which
 * transactions take turns. One that finds the file locked by another process tries again until the deadline; the event
 * loop goes on meanwhile.
 *
 * Expiry: what has expired is ignored, and later writes delete it, ten rows at a time.
 *
 * Security: the file holds no token and nothing that one could be made from, and secrets only sealed. It does hold user
 * ids, addresses and user agents of logins.
 *
 * The connection is never closed. On it `busy_timeout` is set to 0, and `synchronous` to `FULL`: what was answered
 * survives a loss of power.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`
 * @example
 * ```ts
 * import { createAuth, type UserDirectory } from '@latchhook/core';
 * import { migrate, sqliteStorage } from '@latchhook/sqlite';
 * import Database from 'better-sqlite3';
 *
 * declare const users: UserDirectory;
 *
 * const database = new Database('auth.db');
 * await migrate(database);
 * const storage = sqliteStorage({ database });
 * const auth = createAuth({ issuer: 'https://api.example.com', users, storage });
 * ```
 */
export function sqliteStorage(options: SqliteStorageOptions): Required<Storage> {
  assertNames('sqliteStorage', 'options_invalid', options, NAMES);
  const database = checkedDatabase('sqliteStorage', options.database);
  const deadlineMs = boundedInteger('sqliteStorage.deadlineMs', options.deadlineMs, 1_000, [1]);
  const { clock = systemClock } = options;
  database.exec('PRAGMA busy_timeout = 0; PRAGMA synchronous = FULL');
  return storageOn(new SqliteEngine(database, { deadlineMs, clock }), { deadlineMs, clock });
}
