import type { DeliveryQueue, Timers } from '@latchhook/core/delivery';
import {
  type DeliveryStore,
  LEASE_SLACK_MS,
  type ScheduledDelivery,
} from '@latchhook/core/storage';
import { type FaultReporter, isReported } from '../fault-reporter.ts';
import { jittered } from '../jittered.ts';
import { nameOfRun } from '../runs/name-of-run.ts';
import { unrefTimers } from '../unref-timers.ts';

/** So that what a dead process had under way is found within a second of the end of its lease, jitter included. */
export const DEFAULT_INTERVAL_MS = 700;
/** For attempts it is the slack of their lease, so that they are found as the lease ends. */
export const DEFAULT_GRACE_MS = LEASE_SLACK_MS;
/**
 * Short enough for deliveries that are returned to a process that dies before its engine has them: nobody else finds
 * them any sooner. Long enough for a standing backlog: what waits for a place of its account is late, though not lost,
 * and all of it is returned once in this time and the grace. For 50,000 deliveries that is 250 pages, some 4 % of
 * Redis's time.
 */
export const DEFAULT_PUT_OFF_MS = 30_000;
/** Deliveries that one sweep asks for. */
const PAGE_SIZE = 200;
/**
 * The shortest rest between two sweeps while there is more to find, ms; a sweep that took longer rests for as long as it
 * took. If it finds a backlog that was not lost, store and queue are needed by the processes that work it off.
 */
const MIN_PAGE_REST_MS = 100;
/** With no more to find, it rests this many times as long as the sweep took, which looks at all busy webhooks. */
const REST_PER_SWEEP = 50;
/** The longest rest, ms, give or take a fifth, unless the host has chosen a longer one. Also the rest after a fault. */
const MAX_REST_MS = 5_000;

/**
 * For how long there must have been no attempt, and nothing late, before a sweeper rests for as long as it may, ms: longer
 * than a lease, so that attempts of a process that died with the last of them are still found as their lease ends.
 */
const QUIET_MS = 30_000;

/** How lost deliveries are looked for. */
export interface SweepOptions {
  /**
   * How often the store is asked, ms, give or take a fifth. After a sweep that took long the next comes later: after fifty
   * times as long, up to 5,000; and after 5,000 once this process has had nothing to send for 30 s. Default: 700.
   */
  readonly intervalMs?: number;
  /** How late a delivery must be before it counts as lost, ms. Default: 5,000, which for attempts is when their lease ends. */
  readonly graceMs?: number;
  /**
   * For how long a delivery that was found is not looked for again, ms, beside `graceMs`: meanwhile this process finds
   * others, and so do other processes. After that it is found again: the process that found it may have died. Default:
   * 30,000.
   */
  readonly putOffMs?: number;
  /** Default: Node's own, which do not keep the process alive. */
  readonly timers?: Timers;
  /** From 0 up to 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/** The options of a sweeper, with those that hosts do not set. */
export interface SweeperOptions extends SweepOptions {
  /** How many attempts this process has asked to start. Absent: the process counts as always busy. */
  readonly attemptsSoFar?: () => number;
}

/** A sweeper at work. */
export interface Sweeper {
  /** Ends it; settles when nothing is under way any more. */
  stop(): Promise<void>;
}

/**
 * Asks the store now and then for deliveries that are late, and hands them to the engine: the engine lost its data, or
 * a process died between storing a delivery and handing it over.
 *
 * Concurrency: every process that sends has one. The store returns different deliveries to each of them; one that is
 * returned twice is still started only once.
 */
export function startSweeper(
  deliveries: Pick<DeliveryStore, 'overdue'>,
  queue: Pick<DeliveryQueue, 'enqueue' | 'reschedule'>,
  report: FaultReporter,
  options: SweeperOptions = {},
): Sweeper {
  const { intervalMs = DEFAULT_INTERVAL_MS, graceMs = DEFAULT_GRACE_MS } = options;
  const { putOffMs = DEFAULT_PUT_OFF_MS, timers = unrefTimers, random = Math.random } = options;
  const { attemptsSoFar } = options;
  let attemptsBefore = 0;
  let busyAtMs = performance.now();
  let isStopped = false;
  let cancel = (): void => {};
  let underWay: Promise<void> = Promise.resolve();
  let firstBefore: string | null = null;

  const longestRestMs = Math.max(intervalMs, MAX_REST_MS);

  /** @returns how long to wait for the next, ms. */
  async function sweep(): Promise<number> {
    const beganAtMs = performance.now();
    const restMs = (atLeastMs: number, perSweep: number): number =>
      Math.min(longestRestMs, Math.max(atLeastMs, perSweep * (performance.now() - beganAtMs)));
    const usualRestMs = (): number =>
      jittered(isQuiet() ? longestRestMs : restMs(intervalMs, REST_PER_SWEEP), random);
    try {
      const found = await deliveries.overdue({ graceMs, limit: PAGE_SIZE, putOffMs });
      if (found.length === 0) return usualRestMs();
      busyAtMs = performance.now();
      // Even if it was stopped meanwhile: nobody else finds these for a while.
      await queue.enqueue(found);
      // What the engine had already has waited in it for too long, as its clock differs from the store's.
      await queue.reschedule(found);
      const isOther = isNew(found);
      if (found.length < PAGE_SIZE) return usualRestMs();
      return isOther ? restMs(MIN_PAGE_REST_MS, 1) : jittered(longestRestMs, random);
    } catch (error) {
      // What was returned is returned again, when it has been put off for long enough.
      if (!isReported(error)) report(error);
      return jittered(longestRestMs, random);
    }
  }

  function isQuiet(): boolean {
    if (attemptsSoFar === undefined) return false;
    const attempts = attemptsSoFar();
    if (attempts !== attemptsBefore) busyAtMs = performance.now();
    attemptsBefore = attempts;
    return performance.now() - busyAtMs >= QUIET_MS;
  }

  /** A page that begins like the one before comes from a store that puts nothing off: it would never change. */
  function isNew([first]: readonly ScheduledDelivery[]): boolean {
    const name = first === undefined ? null : nameOfRun(first);
    const isOther = name !== firstBefore;
    firstBefore = name;
    return isOther;
  }

  function set(ms: number): void {
    if (isStopped) return;
    cancel = timers.after(ms, () => {
      underWay = sweep().then(set);
    });
  }

  set(random() * intervalMs);
  return {
    async stop() {
      isStopped = true;
      cancel();
      await underWay;
    },
  };
}
