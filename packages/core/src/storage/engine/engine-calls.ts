import * as crypto from 'node:crypto';
import type { MaybePromise } from '../../maybe-promise.ts';
import { type Clock, monotonicMs, systemClock } from '../../ports/clock.ts';
import { CallDeadline } from '../remote/call-deadline.ts';
import {
  type CommandOutcome,
  ExpiredCommandGuard,
  type TimedAnswer,
} from '../remote/expired-command-guard.ts';
import type { FoundRow, RangeRequest, Row, Rows, StorageEngine } from './storage-engine.ts';

export interface EngineCallsOptions {
  /**
   * How long a call may take, all of its transactions together, ms. `null`: the rows are in this process, where no call
   * is late.
   */
  readonly deadlineMs: number | null;
  /** In tests: what waits are measured by. */
  readonly clock?: Clock | undefined;
  /** The time that others compare with their own clocks. Default: that of the engine. */
  readonly timeOfDay?: Clock;
}

/** By when a call is given up; `null`: never. */
export type Deadline = CallDeadline | null;

/** What a transition does to the rows of its partition; it may run more than once. */
export type Transition<Result> = (rows: Rows, nowMs: number) => MaybePromise<Result>;

/**
 * Transactions of an engine, each under a deadline: one that begins after its caller gave up changes nothing, and rows
 * that have expired are not there.
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

  /** @throws {StorageUnavailableError} at the deadline; otherwise whatever the engine or the transition throws */
  async transact<Result>(
    partition: string,
    transition: Transition<Result>,
    deadline: Deadline = this.newDeadline(),
    firstKey?: string,
  ): Promise<Result> {
    return (await this.timed(partition, transition, deadline, firstKey)).answer;
  }

  /** Looks over all partitions. @throws as {@link transact} */
  find(
    index: string,
    request: RangeRequest & { readonly limit: number },
    deadline: Deadline = this.newDeadline(),
  ): Promise<readonly FoundRow[]> {
    return bound(this.#engine.find(index, request), deadline);
  }

  /** The time of day, ms, where it is `nowMs` for the engine. */
  timeOfDayMs(nowMs: number): number {
    return this.#options.timeOfDay?.nowMs() ?? nowMs;
  }

  /** The time of the engine, ms. @throws as {@link transact} */
  now(deadline: Deadline = this.newDeadline()): Promise<number> {
    return bound(this.#engine.now(), deadline);
  }

  /** As {@link transact}, with the time that it took at most. */
  timed<Result>(
    partition: string,
    transition: Transition<Result>,
    deadline: Deadline,
    firstKey?: string,
  ): Promise<TimedAnswer<Result>> {
    if (deadline === null) return this.#inProcess(partition, transition);
    const call = this.#guard.call(deadline, (limitMs) =>
      this.#engine.transact<CommandOutcome<Result>>(
        partition,
        async (rows, nowMs) => {
          if (nowMs > limitMs) return { outcome: 'expired', serverMs: nowMs };
          const answer = await transition(unexpired(rows, nowMs), nowMs);
          return { outcome: 'applied', answer, serverMs: nowMs };
        },
        firstKey,
      ),
    );
    return deadline.bound(call);
  }

  async #inProcess<Result>(
    partition: string,
    transition: Transition<Result>,
  ): Promise<TimedAnswer<Result>> {
    const clock = this.#options.clock ?? systemClock;
    const calledAtMs = monotonicMs(clock);
    const answer = await this.#engine.transact(partition, (rows, nowMs) =>
      transition(unexpired(rows, nowMs), nowMs),
    );
    return { answer, tookMs: monotonicMs(clock) - calledAtMs };
  }
}

function bound<Result>(work: Promise<Result>, deadline: Deadline): Promise<Result> {
  return deadline === null ? work : deadline.bound(work);
}

/** An engine may keep what has expired. */
function unexpired(rows: Rows, nowMs: number): Rows {
  const isThere = ({ expiresAtMs }: Row) => expiresAtMs === null || nowMs < expiresAtMs;
  return {
    async get(key) {
      const row = await rows.get(key);
      return row !== null && isThere(row) ? row : null;
    },
    // Reads on while some have expired: they count for the engine's limit. With a limit, which those who read queues
    // set, they are deleted, so that they are met once.
    async range(index, { limit = Infinity, ...request } = {}) {
      if (limit === Infinity) return (await rows.range(index, request)).filter(isThere);
      for (let wanted = limit; ; wanted *= 2) {
        const found = await rows.range(index, { ...request, limit: wanted });
        const there = found.filter(isThere);
        if (there.length < limit && found.length === wanted) continue;
        for (const row of found) if (!isThere(row)) await rows.delete(row.key);
        return there.slice(0, limit);
      }
    },
    put: (row) => rows.put(row),
    delete: (key) => rows.delete(key),
  };
}

/**
 * A name that only this list of texts has, however a database compares, folds, trims or cuts texts: 43 characters of
 * base64url.
 */
export function nameOf(...texts: readonly string[]): string {
  return crypto.hash('sha256', JSON.stringify(texts), 'base64url');
}

/** A place in an index that sorts as its number does: a whole number from 0. */
export function placeOf(value: number): string {
  return String(value).padStart(16, '0');
}
