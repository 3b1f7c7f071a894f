import { setTimeout as elapsed } from 'node:timers/promises';
import { type CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';
import type { SqliteDatabase } from './sqlite-database.ts';
import { SqliteFault } from './sqlite-fault.ts';

/** The longest pause between two attempts to get the lock of another connection, ms. */
const LONGEST_BACKOFF_MS = 20;

/**
 * Lets one transaction at a time use a connection, in the order in which they came: their work is asynchronous, and a
 * statement of another one would be part of the transaction that is open.
 *
 * It also waits for the lock that another connection has. SQLite would do so itself, but keep the thread meanwhile.
 */
export class ConnectionMutex {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param work - run again where it fails since another connection has the lock, until the deadline
   * @throws {StorageUnavailableError} where neither is free in time; else what `work` throws
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
    // Not all for the same time: processes that wait together would come back together.
    await elapsed(Math.ceil(backoffMs * Math.random()));
  }
  throw new StorageUnavailableError('SQLite was not free in time.');
}

const mutexes = new WeakMap<SqliteDatabase, ConnectionMutex>();

/** The mutex of a connection, however many storages are on it. */
export function mutexOf(database: SqliteDatabase): ConnectionMutex {
  const mutex = mutexes.get(database) ?? new ConnectionMutex();
  mutexes.set(database, mutex);
  return mutex;
}
