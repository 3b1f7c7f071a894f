import { setTimeout as sleep } from 'node:timers/promises';
import { assertNames, type NamesOf } from '../../assert-names.ts';
import { boundedInteger } from '../../bounded-integer.ts';
import { StorageUnavailableError } from '../../errors.ts';
import type { MaybePromise } from '../../maybe-promise.ts';
import type { Clock } from '../../ports/clock.ts';
import { CallDeadline } from '../remote/call-deadline.ts';
import { ConnectionLease } from './connection-lease.ts';
import type { LockingConnection, LockingDatabase } from './locking-database.ts';
import { rowOf, sqlRange, sqlRows } from './sql-rows.ts';
import type { FoundRow, RangeRequest, Rows, StorageEngine } from './storage-engine.ts';

/** The largest random backoff before a transaction is retried, ms. */
const LONGEST_BACKOFF_MS = 10;
/** One in this many transactions with writes also deletes expired rows. */
const FORGET_EVERY = 16;

/** Options of {@link lockingEngine}. Every option has a default. */
export interface LockingEngineOptions {
  /** How long a transaction is retried, ms; then its connection is closed. Default: 1,000. */
  readonly deadlineMs?: number;
  /** For tests: the clock of transactions. Default: the time of the database. */
  readonly clock?: Clock;
}

const NAMES: NamesOf<LockingEngineOptions> = { deadlineMs: true, clock: true };

type Work<Result> = (rows: Rows, nowMs: number) => MaybePromise<Result>;

/** The result of the work, and the time until which its transaction may commit. */
interface FinishedWork<Result> {
  readonly result: Result;
  /** By the server's clock, ms. */
  readonly commitUntilMs: number;
}

/** The outcome of a transaction. `retryable`: it has changed nothing. */
type Attempt<Result> =
  | { readonly outcome: 'committed'; readonly result: Result }
  | { readonly outcome: 'retryable'; readonly error: unknown };

/**
 * An engine for any SQL database that locks rows. You write its statements.
 *
 * Atomicity: the lock of the partition is taken before the first read, and the time is read after it. After a conflict,
 * or if the connection is lost before the commit, the transaction is retried until the deadline. If the database does
 * not reply to a commit, the transaction rejects, because its result is unknown. A commit that reaches the server after
 * the deadline commits nothing.
 *
 * Concurrency: each transaction has its own connection, which is closed at the deadline, so that no connection returns
 * to the pool with an open transaction.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`
 */
export function lockingEngine(
  database: LockingDatabase,
  options: LockingEngineOptions = {},
): StorageEngine {
  assertNames('lockingEngine', 'options_invalid', options, NAMES);
  const deadlineMs = boundedInteger('lockingEngine.deadlineMs', options.deadlineMs, 1_000, [1]);
  return new LockingEngine(database, deadlineMs, options.clock);
}

class LockingEngine implements StorageEngine {
  readonly name: string;
  readonly #database: LockingDatabase;
  readonly #deadlineMs: number;
  readonly #clock: Clock | undefined;
  #writes = 0;

  constructor(database: LockingDatabase, deadlineMs: number, clock: Clock | undefined) {
    this.name = database.name;
    this.#database = database;
    this.#deadlineMs = deadlineMs;
    this.#clock = clock;
  }

  async transact<Result>(
    partition: string,
    work: Work<Result>,
    firstKey?: string,
  ): Promise<Result> {
    const deadline = this.#newDeadline();
    for (;;) {
      const attempt = await this.#withLease(deadline, (lease) =>
        this.#attempt(lease, partition, work, firstKey),
      );
      if (attempt.outcome === 'committed') return attempt.result;
      if (deadline.passed) throw attempt.error;
      await sleep(LONGEST_BACKOFF_MS * Math.random());
    }
  }

  async find(
    index: string,
    request: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]> {
    const rows = await this.#readOutsideTransaction((connection) =>
      connection.find(index, sqlRange(request)),
    );
    return rows.map((row) => ({ partition: row.partition, ...rowOf(row) }));
  }

  async now(): Promise<number> {
    if (this.#clock !== undefined) return this.#clock.nowMs();
    return this.#readOutsideTransaction((connection) => connection.now());
  }

  /** A read changes nothing, so it is retried when a connection is lost. */
  async #readOutsideTransaction<Result>(
    read: (connection: LockingConnection) => Promise<Result>,
  ): Promise<Result> {
    const deadline = this.#newDeadline();
    for (;;) {
      try {
        return await this.#withLease(deadline, (lease) => lease.runOutsideTransaction(read));
      } catch (error) {
        if (!this.#isRetryable(error) || deadline.passed) throw error;
      }
      await sleep(LONGEST_BACKOFF_MS * Math.random());
    }
  }

  async #runWork<Result>(
    connection: LockingConnection,
    partition: string,
    work: Work<Result>,
    firstKey: string | undefined,
  ): Promise<FinishedWork<Result>> {
    const serverMs = await connection.begin(partition, firstKey);
    const nowMs = this.#clock?.nowMs() ?? serverMs;
    const rows = sqlRows(connection.rowsOf(partition));
    const result = await work(rows, nowMs);
    await rows.flush();
    if (rows.hasPut) {
      this.#writes += 1;
      if (this.#writes % FORGET_EVERY === 0) await connection.forgetExpired(partition, nowMs);
    }
    // Uses the server's time even in tests: the server compares it with its own clock.
    return { result, commitUntilMs: serverMs + this.#deadlineMs };
  }

  /** Runs the work and commits; rolls back if the work throws. */
  async #attempt<Result>(
    lease: ConnectionLease,
    partition: string,
    work: Work<Result>,
    firstKey: string | undefined,
  ): Promise<Attempt<Result>> {
    let finishedWork: FinishedWork<Result>;
    try {
      finishedWork = await this.#runWork(lease.connection, partition, work, firstKey);
    } catch (error) {
      await lease.rollBack();
      if (!this.#isRetryable(error)) throw error;
      return { outcome: 'retryable', error };
    }
    try {
      await lease.connection.commit(finishedWork.commitUntilMs);
    } catch (error) {
      await lease.rollBack();
      const kind = this.#database.kindOf(error);
      if (kind === 'conflict') return { outcome: 'retryable', error };
      if (kind === 'rejected') throw error;
      throw new StorageUnavailableError(`${this.name} did not say whether it has committed.`, {
        cause: error,
      });
    }
    lease.release();
    return { outcome: 'committed', result: finishedWork.result };
  }

  async #withLease<Result>(
    deadline: CallDeadline,
    work: (lease: ConnectionLease) => Promise<Result>,
  ): Promise<Result> {
    const lease = new ConnectionLease(await this.#database.connect());
    if (deadline.passed) {
      lease.release();
      throw new StorageUnavailableError(`${this.name} had no connection in time.`);
    }
    return deadline.bound(work(lease), () => lease.destroy());
  }

  /** Whether another attempt may succeed: after a conflict, or a lost connection. */
  #isRetryable(error: unknown): boolean {
    const kind = this.#database.kindOf(error);
    return kind === 'conflict' || kind === 'connection_lost';
  }

  #newDeadline(): CallDeadline {
    return new CallDeadline(this.name, this.#deadlineMs);
  }
}
