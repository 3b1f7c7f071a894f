import { setTimeout as elapsed } from 'node:timers/promises';
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

/** The longest pause before a transaction is run again, ms. */
const LONGEST_PAUSE_MS = 10;
/** Every how many transactions that write one also deletes what has expired. */
const FORGET_EVERY = 16;

/** Options of {@link lockingEngine}. All have a default. */
export interface LockingEngineOptions {
  /** For how long a transaction is run again, ms; and by when its connection is closed. Default: 1,000. */
  readonly deadlineMs?: number;
  /** In tests: what transactions take for the time. Default: what the database answers. */
  readonly clock?: Clock;
}

const NAMES: NamesOf<LockingEngineOptions> = { deadlineMs: true, clock: true };

type Work<Result> = (rows: Rows, nowMs: number) => MaybePromise<Result>;

/** What work has answered, and until when that may be committed. */
interface Done<Result> {
  readonly answer: Result;
  /** By the clock of the server. */
  readonly untilMs: number;
}

/** How a transaction has ended: `again`, if it has changed nothing, and may do better next time. */
type Attempt<Result> =
  | { readonly outcome: 'committed'; readonly answer: Result }
  | { readonly outcome: 'again'; readonly error: unknown };

/**
 * An engine on an SQL database that locks rows, whichever it is: you write its statements.
 *
 * Atomicity: the lock of the partition is taken before the first read, and the time read behind it. A conflict, or a
 * connection that is lost before the commit, runs the transaction again until the deadline; a commit without an answer
 * is rejected, as nobody knows whether it has happened. One that reaches the server after the deadline commits nothing.
 *
 * Concurrency: each transaction has a connection for itself. One that is late is closed, so that nobody gets a
 * connection that is within a transaction.
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
      const attempt = await this.#leased(deadline, (lease) =>
        this.#attempt(lease, partition, work, firstKey),
      );
      if (attempt.outcome === 'committed') return attempt.answer;
      if (deadline.passed) throw attempt.error;
      await elapsed(LONGEST_PAUSE_MS * Math.random());
    }
  }

  async find(
    index: string,
    request: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]> {
    const found = await this.#read((connection) => connection.find(index, sqlRange(request)));
    return found.map((row) => ({ partition: row.partition, ...rowOf(row) }));
  }

  async now(): Promise<number> {
    if (this.#clock !== undefined) return this.#clock.nowMs();
    return this.#read((connection) => connection.now());
  }

  /** Outside of a transaction. It changes nothing, and so is read again where a connection is lost. */
  async #read<Result>(read: (connection: LockingConnection) => Promise<Result>): Promise<Result> {
    const deadline = this.#newDeadline();
    for (;;) {
      try {
        return await this.#leased(deadline, (lease) => lease.outside(read));
      } catch (error) {
        const kind = this.#database.kindOf(error);
        if (kind === 'other' || kind === 'rejected' || deadline.passed) throw error;
      }
      await elapsed(LONGEST_PAUSE_MS * Math.random());
    }
  }

  async #run<Result>(
    connection: LockingConnection,
    partition: string,
    work: Work<Result>,
    firstKey: string | undefined,
  ): Promise<Done<Result>> {
    const begunAtMs = await connection.begin(partition, firstKey);
    const nowMs = this.#clock?.nowMs() ?? begunAtMs;
    const rows = sqlRows(connection.rowsOf(partition));
    let hasPut = false;
    const put: Rows['put'] = (row) => {
      hasPut = true;
      return rows.put(row);
    };
    const answer = await work({ ...rows, put }, nowMs);
    if (hasPut) {
      this.#writes += 1;
      if (this.#writes % FORGET_EVERY === 0) await connection.forgetExpired(partition, nowMs);
    }
    // By the clock of the server, even in tests, as the server compares it.
    return { answer, untilMs: begunAtMs + this.#deadlineMs };
  }

  /** Commits what the work has done, and rolls back where it throws. */
  async #attempt<Result>(
    lease: ConnectionLease,
    partition: string,
    work: Work<Result>,
    firstKey: string | undefined,
  ): Promise<Attempt<Result>> {
    let done: Done<Result>;
    try {
      done = await this.#run(lease.connection, partition, work, firstKey);
    } catch (error) {
      await lease.rollBack();
      const kind = this.#database.kindOf(error);
      if (kind === 'other' || kind === 'rejected') throw error;
      return { outcome: 'again', error };
    }
    try {
      await lease.connection.commit(done.untilMs);
    } catch (error) {
      await lease.rollBack();
      const kind = this.#database.kindOf(error);
      if (kind === 'conflict') return { outcome: 'again', error };
      if (kind === 'rejected') throw error;
      throw new StorageUnavailableError(`${this.name} did not say whether it has committed.`, {
        cause: error,
      });
    }
    lease.end();
    return { outcome: 'committed', answer: done.answer };
  }

  async #leased<Result>(
    deadline: CallDeadline,
    work: (lease: ConnectionLease) => Promise<Result>,
  ): Promise<Result> {
    const lease = new ConnectionLease(await this.#database.connect());
    if (deadline.passed) {
      lease.end();
      throw new StorageUnavailableError(`${this.name} had no connection in time.`);
    }
    return deadline.bound(work(lease), () => lease.discard());
  }

  #newDeadline(): CallDeadline {
    return new CallDeadline(this.name, this.#deadlineMs);
  }
}
