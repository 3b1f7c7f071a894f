import { setTimeout as elapsed } from 'node:timers/promises';
import { type CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';
import type { SqliteDatabase } from './sqlite-database.ts';
import { SqliteFault } from './sqlite-fault.ts';

/** The longest delay before trying to get the lock again, ms. */
const LONGEST_BACKOFF_MS = 20;

/**
 * Runs one transaction at a time on a connection, in FIFO order. Their work is asynchronous, and a statement of another
 * transaction would become part of the open one.
 *
 * It also waits while another connection has the lock of the file. SQLite itself would block the thread for this.
 */
export class ConnectionMutex {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param work - retried until the deadline while it fails because another connection has the lock
   * @throws {StorageUnavailableError} where the connection or the lock is not free in time; other errors are those of
   *   `work`
   */
  run<Result>(deadline: CallDeadline, work: () => Result | Promise<Result>): Promise<Result> {
    const transaction = this.#last.then(() => withRetries(deadline, work));
    this.#last = transaction.catch(() => {});
    return transaction;
  }
}

async function withRetries<Result>(
  deadline: CallDeadline,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  for (
    let backoffMs = 1;
    !deadline.passed;
    backoffMs = Math.min(2 * backoffMs, LONGEST_BACKOFF_MS)
  ) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SqliteFault && error.isBusy)) throw error;
    }
    // A random delay, as processes that wait together would otherwise retry together.
    await elapsed(Math.ceil(backoffMs * Math.random()));
  }
  throw new StorageUnavailableError('SQLite was not free in time.');
}

const mutexes = new WeakMap<SqliteDatabase, ConnectionMutex>();

/** The mutex of a connection, which all storages on it share. */
export function mutexOf(database: SqliteDatabase): ConnectionMutex {
  const mutex = mutexes.get(database) ?? new ConnectionMutex();
  mutexes.set(database, mutex);
  return mutex;
}
