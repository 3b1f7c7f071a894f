import { setTimeout as delay } from 'node:timers/promises';
import { type CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';
import type { SqliteDatabase } from './sqlite-database.ts';
import { SqliteFault } from './sqlite-fault.ts';

/** The maximum delay before a retry, ms. */
const MAX_BACKOFF_MS = 20;

/**
 * Runs one transaction at a time on a connection, in FIFO order. Transactions are asynchronous: without the mutex, the
 * statements of a second transaction would become part of the first.
 *
 * Also waits while another connection has the lock of the file because SQLite itself would block the thread.
 */
export class ConnectionMutex {
  #lastTransaction: Promise<unknown> = Promise.resolve();

  /**
   * @param work - retried until the deadline if another connection has the lock; its other errors are thrown
   * @throws {StorageUnavailableError} if the connection or the lock is not free before the deadline
   */
  run<Result>(deadline: CallDeadline, work: () => Result | Promise<Result>): Promise<Result> {
    const transaction = this.#lastTransaction.then(() => withRetries(deadline, work));
    this.#lastTransaction = transaction.catch(() => {});
    return transaction;
  }
}

async function withRetries<Result>(
  deadline: CallDeadline,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  for (let backoffMs = 1; !deadline.passed; backoffMs = Math.min(2 * backoffMs, MAX_BACKOFF_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SqliteFault && error.isBusy)) throw error;
    }
    // The delay is random because processes that wait together would otherwise retry together.
    await delay(Math.ceil(backoffMs * Math.random()));
  }
  throw new StorageUnavailableError('SQLite was not free in time.');
}

const mutexes = new WeakMap<SqliteDatabase, ConnectionMutex>();

/** The mutex of a connection. All storages on the connection share it. */
export function mutexOf(database: SqliteDatabase): ConnectionMutex {
  const mutex = mutexes.get(database) ?? new ConnectionMutex();
  mutexes.set(database, mutex);
  return mutex;
}
