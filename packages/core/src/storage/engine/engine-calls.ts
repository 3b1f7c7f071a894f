import * as crypto from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MaybePromise } from '../../maybe-promise.ts';
import { type Clock, monotonicMs, systemClock } from '../../ports/clock.ts';
import { CallDeadline } from '../remote/call-deadline.ts';
import {
  type CommandOutcome,
  ExpiredCommandGuard,
  type TimedAnswer,
} from '../remote/expired-command-guard.ts';
import type { FoundRow, RangeRequest, StorageEngine } from './storage-engine.ts';
import { deleteSomeExpired, ManyExpiredRows, UnexpiredRows } from './unexpired-rows.ts';

export interface EngineCallsOptions {
  /**
   * The timeout of a call with all of its transactions, ms. `null`: no timeout, because the rows are in this process.
   */
  readonly deadlineMs: number | null;
  /** For tests: the clock that measures waits. */
  readonly clock?: Clock | undefined;
  /** The wall clock, for times that others compare with their own clocks. Default: the time of the engine. */
  readonly wallClock?: Clock;
}

/** The deadline of a call; `null`: none. */
export type Deadline = CallDeadline | null;

/** The work of a transition on the rows of its partition. It may run more than once. */
export type Transition<Result> = (rows: UnexpiredRows, nowMs: number) => MaybePromise<Result>;

/** A call of a transition. */
interface TransactCall<Result> {
  readonly partition: string;
  readonly transition: Transition<Result>;
  readonly deadline: Deadline;
  readonly firstKey: string | undefined;
  /** Whether a limited range may lack rows: see {@link UnexpiredRows.isCut}. */
  readonly mayCut: boolean;
}

/** For how long a call deletes expired rows, ms. Then it continues without those that it has not reached. */
const DELETION_MS = 100;

/**
 * Runs transactions of an engine with deadlines. A transaction that begins after its deadline changes nothing, and
 * expired rows are not visible.
 */
export class EngineCalls {
  readonly #engine: StorageEngine;
  readonly #options: EngineCallsOptions;
  readonly #guard: ExpiredCommandGuard;

  constructor(engine: StorageEngine, options: EngineCallsOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#guard = new ExpiredCommandGuard({
      server: engine.name,
      readServerMs: () => engine.now(),
      clock: options.clock,
    });
  }

  newDeadline(): Deadline {
    const { deadlineMs } = this.#options;
    return deadlineMs === null ? null : new CallDeadline(this.#engine.name, deadlineMs);
  }

  /** @throws {StorageUnavailableError} at the deadline; other errors are those of the engine or the transition */
  async transact<Result>(
    partition: string,
    transition: Transition<Result>,
    deadline: Deadline = this.newDeadline(),
    firstKey?: string,
  ): Promise<Result> {
    return (await this.transactTimed(partition, transition, deadline, firstKey)).answer;
  }

  /** Finds rows over all partitions. @throws as {@link transact} */
  find(
    index: string,
    request: RangeRequest & { readonly limit: number },
    deadline: Deadline = this.newDeadline(),
  ): Promise<readonly FoundRow[]> {
    return bound(this.#engine.find(index, request), deadline);
  }

  /** The wall-clock time, ms, at the engine's time `nowMs`. */
  wallClockMs(nowMs: number): number {
    return this.#options.wallClock?.nowMs() ?? nowMs;
  }

  /** The time of the engine, ms. @throws as {@link transact} */
  now(deadline: Deadline = this.newDeadline()): Promise<number> {
    return bound(this.#engine.now(), deadline);
  }

  /**
   * Like {@link transact}, but also returns how long the call was pending.
   *
   * If a range meets many expired rows, they are deleted in transactions of their own, and the transition runs again.
   * Once the time for deletions is used up, it runs with `mayCut`.
   */
  async transactTimed<Result>(
    partition: string,
    transition: Transition<Result>,
    deadline: Deadline,
    firstKey?: string,
  ): Promise<TimedAnswer<Result>> {
    let deleteUntilMs: number | undefined;
    const call = { partition, transition, deadline, firstKey, mayCut: false };
    for (;;) {
      try {
        return await this.#transactOnce(call);
      } catch (error) {
        if (!(error instanceof ManyExpiredRows)) throw error;
        const remainingMs = deadline === null ? Infinity : deadline.atMs - performance.now();
        deleteUntilMs ??= performance.now() + Math.min(DELETION_MS, remainingMs / 2);
        const deletion = this.#deleteExpired(partition, error, deleteUntilMs);
        const wait = new CallDeadline(
          this.#engine.name,
          Math.min(2 * DELETION_MS, remainingMs / 2),
        );
        // The call may do without a deletion that is slow or waits for a lock. One that fails is a fault to report.
        await wait.bound(deletion).catch((failure: unknown) => {
          if (!wait.passed) throw failure;
          call.mayCut = true;
        });
        if (performance.now() >= deleteUntilMs) call.mayCut = true;
      }
    }
  }

  #transactOnce<Result>({
    partition,
    transition,
    deadline,
    firstKey,
    mayCut,
  }: TransactCall<Result>): Promise<TimedAnswer<Result>> {
    if (deadline === null) return this.#transactInProcess(partition, transition, mayCut);
    const call = this.#guard.call(deadline, (commandExpiresAtMs) =>
      this.#engine.transact<CommandOutcome<Result>>(
        partition,
        async (rows, nowMs) => {
          if (nowMs > commandExpiresAtMs) return { outcome: 'expired', serverMs: nowMs };
          const answer = await transition(new UnexpiredRows(rows, nowMs, { mayCut }), nowMs);
          return { outcome: 'applied', answer, serverMs: nowMs };
        },
        firstKey,
      ),
    );
    return deadline.bound(call);
  }

  /** Deletes the first expired rows of a range, in transactions of their own, until `untilMs`. */
  async #deleteExpired(partition: string, range: ManyExpiredRows, untilMs: number): Promise<void> {
    let hasMore = true;
    while (hasMore && performance.now() < untilMs) {
      // A database in this process never waits for I/O, so without this, many rows would block the event loop.
      await nextTurn();
      hasMore = await this.#engine.transact(partition, (rows, nowMs) =>
        deleteSomeExpired(rows, nowMs, range),
      );
    }
  }

  async #transactInProcess<Result>(
    partition: string,
    transition: Transition<Result>,
    mayCut: boolean,
  ): Promise<TimedAnswer<Result>> {
    const clock = this.#options.clock ?? systemClock;
    const calledAtMs = monotonicMs(clock);
    const answer = await this.#engine.transact(partition, (rows, nowMs) =>
      transition(new UnexpiredRows(rows, nowMs, { mayCut }), nowMs),
    );
    return { answer, tookMs: monotonicMs(clock) - calledAtMs };
  }
}

function bound<Result>(work: Promise<Result>, deadline: Deadline): Promise<Result> {
  return deadline === null ? work : deadline.bound(work);
}

/**
 * A key or digest of a list of texts: 43 characters of base64url. Different lists have different keys, even if a store
 * folds, trims or truncates texts.
 */
export function keyOf(...texts: readonly string[]): string {
  return crypto.hash('sha256', JSON.stringify(texts), 'base64url');
}

/** The sort key of an integer from 0 in an index. Sort keys sort like their numbers. */
export function sortKeyOf(value: number): string {
  return String(value).padStart(16, '0');
}
