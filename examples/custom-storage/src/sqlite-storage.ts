import { type Clock, systemClock } from '@latchhook/core';
import { CallDeadline, type Storage } from '@latchhook/core/storage';
import Database from 'libsql';
import { Items, SCHEMA } from './items.ts';
import { sqliteChallengeStore } from './sqlite-challenge-store.ts';
import { sqliteLimiters } from './sqlite-limiters.ts';
import { sqliteSessionStore } from './sqlite-session-store.ts';
import { unlessLocked } from './unless-locked.ts';

const OPEN_WAIT_MS = 10_000;

/** Options of {@link openSqliteStorage}. */
export interface SqliteStorageOptions {
  /** Path of the database, made if there is none. Use a local disk: its locks do not work over a network. */
  readonly file: string;
  /** Where the time comes from. Default: the system's clock, which all processes of one machine share. */
  readonly clock?: Clock;
  /**
   * With `FULL` each transition waits for the disk, so that a revocation that was answered survives a power cut. With
   * `NORMAL` a power cut may undo the last transitions, but one takes a tenth of the time. A process that dies undoes
   * nothing either way. Default: `FULL`.
   */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

/** A storage with a connection of its own. */
export interface SqliteStorage extends Storage {
  /** Closes the connection. Later calls are refused. */
  close(): void;
}

/**
 * Keeps sessions, challenges and the counters of login throttling in one SQLite file.
 *
 * For the processes of **one machine**: there is one writer at a time for the whole file. A transition, including its
 * wait for the disk, runs on the thread that serves requests; while another process writes, that thread goes on
 * serving.
 *
 * Atomicity: a transition is one transaction that takes the lock before it reads.
 *
 * Concurrency: nothing lands late. A call that was given up is not attempted again, and a statement is done when it
 * returns.
 *
 * Security: the file holds no tokens, but user ids, addresses and user agents. Only the app should be able to read it.
 *
 * @throws {SqliteError} if the file cannot be made
 * @throws {StorageUnavailableError} if the file stays locked for ten seconds
 */
export async function openSqliteStorage({
  file,
  clock = systemClock,
  synchronous = 'FULL',
}: SqliteStorageOptions): Promise<SqliteStorage> {
  // A connection of our own: on a shared one, another transaction might be open. SQLite itself must not wait for a
  // lock, as that would block the whole process, and in vain if this very process holds it.
  const database = new Database(file, { timeout: 0 });
  await unlessLocked(() => {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
    database.transaction(() => database.exec(SCHEMA)).immediate();
  }, new CallDeadline('SQLite', OPEN_WAIT_MS));

  const items = new Items(database, clock);
  return {
    name: 'sqlite',
    sessions: sqliteSessionStore(items),
    challenges: sqliteChallengeStore(items),
    // Windows run on the system's clock in every storage, even if a test replaces the clock.
    limiters: sqliteLimiters(new Items(database, systemClock)),
    close: () => void database.close(),
  };
}
