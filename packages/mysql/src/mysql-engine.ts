import { setTimeout as elapsed } from 'node:timers/promises';
import type { Clock } from '@latchhook/core';
import {
  CallDeadline,
  type FoundRow,
  type RangeRequest,
  type Rows,
  rowOf,
  type StorageEngine,
  StorageUnavailableError,
  sqlRange,
  sqlRows,
} from '@latchhook/core/storage';
import { ConnectionLease } from './connection-lease.ts';
import { MysqlFault } from './mysql-fault.ts';
import type { MysqlPool } from './mysql-pool.ts';
import {
  findPlaced,
  forgetExpired,
  LOCK,
  NOW,
  partitionStatements,
  sqlRowIn,
  stripeOf,
} from './mysql-statements.ts';

/** The longest pause before a transaction is run again, ms. */
const LONGEST_PAUSE_MS = 10;
/** Every how many writes one also deletes what has expired, a hundred rows at most. */
const FORGET_EVERY = 16;

type Work<Result> = (rows: Rows, nowMs: number) => Result | Promise<Result>;

export interface MysqlEngineOptions {
  readonly deadlineMs: number;
  readonly clock: Clock | undefined;
}

/** Rows in two tables, and a lock for each partition: a row of a third one, which is always there. */
export class MysqlEngine implements StorageEngine {
  readonly name = 'mysql';
  readonly #pool: MysqlPool;
  readonly #options: MysqlEngineOptions;
  #writes = 0;

  constructor(pool: MysqlPool, options: MysqlEngineOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  async transact<Result>(partition: string, work: Work<Result>): Promise<Result> {
    const deadline = this.#newDeadline();
    for (;;) {
      try {
        return await this.#inTransaction(deadline, (lease) => this.#run(lease, partition, work));
      } catch (error) {
        if (!canRepeat(error) || deadline.passed) throw error;
      }
      await elapsed(LONGEST_PAUSE_MS * Math.random());
    }
  }

  async find(
    index: string,
    request: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]> {
    const found = await this.#inTransaction(this.#newDeadline(), (lease) =>
      findPlaced(lease, index, sqlRange(request)),
    );
    return found.map(([partition, ...row]) => ({
      partition: String(partition),
      ...rowOf(sqlRowIn(row)),
    }));
  }

  async now(): Promise<number> {
    const deadline = this.#newDeadline();
    const lease = await ConnectionLease.take(this.#pool, deadline);
    return deadline.bound(
      this.#nowOf(lease).finally(() => lease.end()),
      () => lease.discard(),
    );
  }

  async #run<Result>(lease: ConnectionLease, partition: string, work: Work<Result>) {
    const [locked] = await lease.execute(LOCK, [stripeOf(partition)]);
    if (locked === undefined) {
      throw new StorageUnavailableError('MySQL has no rows to lock: run `migrate` again.');
    }
    // Apart: what a statement calls now is its begin, before it waited for the lock.
    const nowMs = await this.#nowOf(lease);
    const statements = partitionStatements(lease, partition);
    const result = await work(sqlRows(statements), nowMs);
    if (statements.hasPut) {
      this.#writes += 1;
      if (this.#writes % FORGET_EVERY === 0) await forgetExpired(lease, partition, nowMs);
    }
    return result;
  }

  /** Commits what the work has done, and rolls back where it throws. */
  async #inTransaction<Result>(
    deadline: CallDeadline,
    work: (lease: ConnectionLease) => Promise<Result>,
  ): Promise<Result> {
    const lease = await ConnectionLease.take(this.#pool, deadline);
    // Destroyed when late: the server rolls back, and nobody else gets a connection that is in a transaction.
    return deadline.bound(transaction(lease, work), () => lease.discard());
  }

  async #nowOf(lease: ConnectionLease): Promise<number> {
    const { clock } = this.#options;
    if (clock !== undefined) return clock.nowMs();
    const [[nowMs] = []] = await lease.execute(NOW, []);
    return Number(nowMs);
  }

  #newDeadline(): CallDeadline {
    return new CallDeadline('MySQL', this.#options.deadlineMs);
  }
}

/** A connection that is lost before the commit has changed nothing. */
function canRepeat(error: unknown): boolean {
  return error instanceof MysqlFault && (error.isConflict || error.isConnectionLost);
}

async function transaction<Result>(
  lease: ConnectionLease,
  work: (lease: ConnectionLease) => Promise<Result>,
): Promise<Result> {
  try {
    // For the next transaction alone. Gaps are not locked under it, so that partitions do not wait for each other.
    await lease.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await lease.query('START TRANSACTION');
    const result = await work(lease);
    await commit(lease);
    lease.end();
    return result;
  } catch (error) {
    await lease.query('ROLLBACK').then(
      () => lease.end(),
      () => lease.discard(),
    );
    throw error;
  }
}

/** @throws {StorageUnavailableError} where the answer is lost: nobody knows whether it has committed */
async function commit(lease: ConnectionLease): Promise<void> {
  try {
    await lease.query('COMMIT');
  } catch (error) {
    if (!(error instanceof MysqlFault && error.isConnectionLost)) throw error;
    throw new StorageUnavailableError(error.message, { cause: error.cause });
  }
}
