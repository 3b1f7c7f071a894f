import { setTimeout as sleep } from 'node:timers/promises';
import { assertNames, type NamesOf } from '../../assert-names.ts';
import { boundedInteger } from '../../bounded-integer.ts';
import { StorageUnavailableError } from '../../errors.ts';
import type { MaybePromise } from '../../maybe-promise.ts';
import { type Clock, systemClock } from '../../ports/clock.ts';
import { CallDeadline } from '../remote/call-deadline.ts';
import { BufferedRows } from './buffered-rows.ts';
import type { FoundRow, RangeRequest, Rows, StorageEngine } from './storage-engine.ts';
import type {
  PartitionChange,
  VersionedDatabase,
  VersionedPartition,
} from './versioned-database.ts';

/** How many transactions of one partition share a commit at most: a database may limit the rows of a commit. */
const MAX_CALLS = 32;
/**
 * The largest random backoff after the first conflict, ms. It doubles after each further conflict, up to
 * `LONGEST_BACKOFF_MS`.
 */
const FIRST_BACKOFF_MS = 4;
const LONGEST_BACKOFF_MS = 64;
/** By how much clocks may differ, ms. A larger difference between processes means that a clock was set back. */
const LARGEST_SKEW_MS = 1000;
/** A version is the time, ms, multiplied by this, plus a number for each commit of the same millisecond. */
const VERSIONS_PER_MS = 1000;

/** Options of {@link casEngine}. Every option has a default. */
export interface CasEngineOptions {
  /** How long transactions are retried after conflicts, ms. Default: 1,000. */
  readonly deadlineMs?: number;
  /** The clock of transactions. Default: the system clock. */
  readonly clock?: Clock;
  /**
   * How many rows a commit that several transactions share may put or delete; a transaction that writes more is
   * committed separately. Default: no limit.
   */
  readonly maxSharedRows?: number;
}

const NAMES: NamesOf<CasEngineOptions> = { deadlineMs: true, clock: true, maxSharedRows: true };

/** A transaction that waits to be run. */
interface Call {
  /** Runs the work, and returns a function that settles the transaction after the commit. Never rejects. */
  run(rows: Rows, nowMs: number): Promise<FinishedCall>;
  reject(error: unknown): void;
}

/** A transaction whose work has run, and which waits for its commit. */
interface FinishedCall {
  readonly hasThrown: boolean;
  settle(): void;
}

/**
 * An engine for a database without locks whose documents have versions: MongoDB, DynamoDB, CouchDB.
 *
 * Atomicity: a transaction reads, decides, and makes all of its writes in one commit, which succeeds if nobody else has
 * committed since it read. Otherwise it is retried after a random backoff, until the deadline. The same holds for a
 * transaction that only read, or threw: without a snapshot, it may have seen half of a commit.
 *
 * A commit that arrives more than a second after the deadline, by the clock of the database, changes nothing.
 *
 * Concurrency: transactions of one partition that wait in one process are committed together, so that a hundred
 * transactions do not need a hundred commits. If several processes commit at the same time, one of them succeeds.
 *
 * Each process uses its own clock, read after the version. A version contains the time of its commit, so the time of a
 * partition does not run back while clocks differ by less than a second. A clock that is set back further is followed.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`
 */
export function casEngine(
  database: VersionedDatabase,
  options: CasEngineOptions = {},
): StorageEngine {
  assertNames('casEngine', 'options_invalid', options, NAMES);
  const { clock = systemClock } = options;
  const deadlineMs = boundedInteger('casEngine.deadlineMs', options.deadlineMs, 1_000, [1]);
  const { maxSharedRows: shared } = options;
  const unlimited = Number.MAX_SAFE_INTEGER;
  const maxSharedRows = boundedInteger('casEngine.maxSharedRows', shared, unlimited, [1]);
  return new CasEngine(database, { deadlineMs, clock, maxSharedRows });
}

class CasEngine implements StorageEngine {
  readonly name: string;
  readonly #database: VersionedDatabase;
  readonly #options: Required<CasEngineOptions>;
  /** By partition, the transactions that wait while others run. */
  readonly #waiting = new Map<string, Call[]>();

  constructor(database: VersionedDatabase, options: Required<CasEngineOptions>) {
    this.name = database.name;
    this.#database = database;
    this.#options = options;
  }

  transact<Result>(
    partition: string,
    work: (rows: Rows, nowMs: number) => MaybePromise<Result>,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const call: Call = {
        async run(rows, nowMs) {
          try {
            const result = await work(rows, nowMs);
            return { hasThrown: false, settle: () => resolve(result) };
          } catch (error) {
            return { hasThrown: true, settle: () => reject(error) };
          }
        },
        reject,
      };
      const waiting = this.#waiting.get(partition);
      if (waiting === undefined) void this.#drain(partition, [call]);
      else waiting.push(call);
    });
  }

  find(
    index: string,
    request: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]> {
    return this.#database.find(index, request);
  }

  async now(): Promise<number> {
    return this.#options.clock.nowMs();
  }

  /** The time of a transaction: not before that of the last commit, unless the clock was set back. */
  #timeAfter(lastMs: number): number {
    const nowMs = this.#options.clock.nowMs();
    return lastMs - nowMs > LARGEST_SKEW_MS ? nowMs : Math.max(lastMs, nowMs);
  }

  async #drain(partition: string, waiting: Call[]): Promise<void> {
    this.#waiting.set(partition, waiting);
    while (waiting.length > 0) {
      const calls = waiting.splice(0, MAX_CALLS);
      try {
        const finished = await this.#transactAll(partition, calls);
        waiting.unshift(...calls.slice(finished.length));
        for (const { settle } of finished) settle();
      } catch (error) {
        for (const { reject } of calls) reject(error);
      }
    }
    this.#waiting.delete(partition);
  }

  /** Resolves to the transactions that have ended; the others did not fit into the shared commit. */
  async #transactAll(partition: string, calls: readonly Call[]): Promise<readonly FinishedCall[]> {
    const deadline = new CallDeadline(this.name, this.#options.deadlineMs);
    let longestMs = FIRST_BACKOFF_MS;
    for (;;) {
      const finished = await deadline.bound(this.#attempt(partition, calls, deadline));
      if (finished !== 'conflict') return finished;
      await sleep(longestMs * Math.random());
      if (deadline.passed) {
        throw new StorageUnavailableError(
          `${this.name}: other processes were quicker each time, or its clock is ahead of this one's.`,
        );
      }
      longestMs = Math.min(2 * longestMs, LONGEST_BACKOFF_MS);
    }
  }

  async #attempt(
    partition: string,
    calls: readonly Call[],
    deadline: CallDeadline,
  ): Promise<readonly FinishedCall[] | 'conflict'> {
    const stored = await this.#database.open(partition);
    const lastMs = Math.floor(stored.version / VERSIONS_PER_MS);
    let nowMs = 0;
    const rows = new BufferedRows(stored);
    const finished: FinishedCall[] = [];
    for (const call of calls) {
      nowMs = this.#timeAfter(Math.max(lastMs, nowMs));
      const rowsOfCall = new BufferedRows(rows);
      const finishedCall = await call.run(rowsOfCall, nowMs);
      const isOverLimit = rows.writes.size + rowsOfCall.writes.size > this.#options.maxSharedRows;
      // It will run again, in the next commit.
      if (isOverLimit && finished.length > 0 && !finishedCall.hasThrown) break;
      finished.push(finishedCall);
      if (finishedCall.hasThrown) continue;
      for (const [key, row] of rowsOfCall.writes) rows.writes.set(key, row);
    }
    // After the deadline nobody waits for the result, so nothing may be committed.
    if (deadline.passed) throw new StorageUnavailableError(`${this.name} was not quick enough.`);
    if (rows.writes.size > 0) {
      const change = changeOf(stored, rows, { nowMs, untilMs: untilMsOf(deadline) });
      return (await stored.commit(change)) ? finished : 'conflict';
    }
    // Nothing was written, but the rows that were read may be of several versions.
    if (stored.isSnapshot) return finished;
    const { version } = await this.#database.open(partition);
    return version === stored.version ? finished : 'conflict';
  }
}

function changeOf(
  { version }: VersionedPartition,
  { writes }: BufferedRows,
  times: Pick<PartitionChange, 'nowMs' | 'untilMs'>,
): PartitionChange {
  return {
    version: Math.max(version + 1, times.nowMs * VERSIONS_PER_MS),
    ...times,
    puts: [...writes.values()].filter((row) => row !== null),
    deletes: [...writes].filter(([, row]) => row === null).map(([key]) => key),
  };
}

/** By the system clock even in tests: the server compares it with its own clock. */
function untilMsOf(deadline: CallDeadline): number {
  const leftMs = deadline.atMs - performance.now();
  return Math.ceil(systemClock.nowMs() + leftMs + LARGEST_SKEW_MS);
}
