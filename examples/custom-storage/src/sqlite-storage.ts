import { CallDeadline, type Clock, type Storage, systemClock } from '@latchhook/core';
import Database from 'libsql';
import { Items, SCHEMA } from './items.ts';
import { sqliteChallengeStore } from './sqlite-challenge-store.ts';
import { sqliteLimiters } from './sqlite-limiters.ts';
import { sqliteSessionStore } from './sqlite-session-store.ts';
import { unlessLocked } from './unless-locked.ts';

const OPEN_WAIT_MS = 10_000;

/** How {@link openSqliteStorage} keeps things. */
export interface SqliteStorageOptions {
  /** Path of the database, made where there is none. On a local disk: its locks do not work over a network. */
  readonly file: string;
  /** Where the time comes from. Default: the system's clock, which all processes of one machine share. */
  readonly clock?: Clock;
  /**
   * `FULL` has each transition wait for the disk, so that a revocation that was answered outlasts a power cut.
   * With `NORMAL` a power cut may undo what came last, and a transition takes a tenth of the time. A process
   * that dies undoes nothing either way. Default: `FULL`.
   */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

/** A storage with a connection of its own. */
export interface SqliteStorage extends Storage {
  /** Closes the connection. Calls that come later are refused. */
  close(): void;
}

/**
 * Keeps sessions, challenges and the counters of login throttling in one SQLite file.
 *
 * Fit for the processes of **one machine**: there is one writer at a time over the whole file. A transition
 * runs on the thread that serves requests, its wait for the disk included; while another process writes, that
 * thread goes on serving.
 *
 * Atomicity: a transition is one transaction that has the lock before it reads.
 *
 * Concurrency: a call that was given up is not attempted afterwards, and a statement is done when it returns: so
 * nothing lands late.
 *
 * Security: the file holds no token, but user ids, addresses and user agents. It is for the app to read alone.
 *
 * @throws {SqliteError} where the file cannot be made
 * @throws {StorageUnavailableError} where the file stays locked for ten seconds
 */
export async function openSqliteStorage({
  file,
  clock = systemClock,
  synchronous = 'FULL',
}: SqliteStorageOptions): Promise<SqliteStorage> {
  // The connection is ours alone: on a shared one, somebody else's transaction might be open. And SQLite itself
  // waits for no lock, since it would put the whole process to sleep: in vain where this very process holds it.
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
    // Windows run on the system's clock in every storage: it is not they that a test turns the clock for.
    limiters: sqliteLimiters(new Items(database, systemClock)),
    close: () => void database.close(),
  };
}
