import {
  type DeliveryQueue,
  type DeliveryStore,
  LEASE_SLACK_MS,
  type ScheduledDelivery,
  type Timers,
} from '@latchhook/core';
import { type FaultReporter, isTold } from './fault-reporter.ts';
import { jittered } from './jittered.ts';
import { nameOfRun } from './name-of-run.ts';
import { unrefTimers } from './unref-timers.ts';

/** What a dead process had under way is found within a second of the end of its lease, give or take included. */
export const DEFAULT_INTERVAL_MS = 700;
/** Of attempts it is what their leases have to spare. */
export const DEFAULT_GRACE_MS = LEASE_SLACK_MS;
/**
 * Short enough for what is told to a process that dies before the engine has it: nobody finds it sooner. Long enough for
 * a backlog that stands: what waits for a place of its account is late though nothing of it was lost, and all of it is
 * told once in so long and the grace. Of 50,000 that is 250 pages, and of the time of Redis some four hundredths.
 */
export const DEFAULT_PUT_OFF_MS = 30_000;
/** Deliveries of one sweep. */
const LIMIT = 200;
/**
 * Between two sweeps while there is more to find, at least, ms. Else it is as long as the sweep has taken: where nothing
 * was lost, and a backlog is what it finds, store and queue are for whoever works it off.
 */
const NEXT_PAGE_MS = 100;
/** So many times as long as a sweep has taken it rests where there is no more to find: each looks at all busy webhooks. */
const REST_PER_SWEEP = 50;
/** It rests no longer than so, ms, give or take a fifth, unless it was told to. After a fault it does for as long. */
const LONGEST_REST_MS = 5_000;

/** How lost deliveries are looked for. */
export interface SweepOptions {
  /**
   * How often the store is asked, ms, give or take a fifth. After a sweep that took long it is less often: fifty times as
   * long as that, up to 5,000. Default: 700.
   */
  readonly intervalMs?: number;
  /** How late a delivery must be before it counts as lost, ms. Default: 5,000, which for attempts is when their lease ends. */
  readonly graceMs?: number;
  /**
   * What was found is not looked for again for so long, and `graceMs`, ms: others are found meanwhile, and by other
   * processes others. What a process had found that died at it is found again after that. Default: 30,000.
   */
  readonly putOffMs?: number;
  /** Default: Node's own, which do not keep the process alive. */
  readonly timers?: Timers;
  /** From 0 up to 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/** A sweeper at work. */
export interface Sweeper {
  /** Ends it; settles when nothing is under way any more. */
  stop(): Promise<void>;
}

/**
 * Asks the store now and then for deliveries that are late, and hands them to the engine: it lost its data, or
 * a process died between storing a delivery and handing it over.
 *
 * Concurrency: every process that sends has one. Each is told what the others were not, and what they should find again
 * is started once.
 */
export function startSweeper(
  deliveries: Pick<DeliveryStore, 'overdue'>,
  queue: Pick<DeliveryQueue, 'enqueue' | 'reschedule'>,
  report: FaultReporter,
  options: SweepOptions = {},
): Sweeper {
  const { intervalMs = DEFAULT_INTERVAL_MS, graceMs = DEFAULT_GRACE_MS } = options;
  const { putOffMs = DEFAULT_PUT_OFF_MS, timers = unrefTimers, random = Math.random } = options;
  let isStopped = false;
  let cancel = (): void => {};
  let underWay: Promise<void> = Promise.resolve();
  let firstBefore: string | null = null;

  const longestRestMs = Math.max(intervalMs, LONGEST_REST_MS);

  /** @returns how long to wait for the next, ms. */
  async function sweep(): Promise<number> {
    const beganAtMs = performance.now();
    const restMs = (atLeastMs: number, perSweep: number): number =>
      Math.min(longestRestMs, Math.max(atLeastMs, perSweep * (performance.now() - beganAtMs)));
    const usualRestMs = (): number => jittered(restMs(intervalMs, REST_PER_SWEEP), random);
    try {
      const found = await deliveries.overdue({ graceMs, limit: LIMIT, putOffMs });
      if (found.length === 0) return usualRestMs();
      // Though it may have been stopped meanwhile: nobody else is told of these for a while.
      await queue.enqueue(found);
      // What the engine has already, it has with a delay that is wrong: its clock is.
      await queue.reschedule(found);
      const isOther = isNew(found);
      if (found.length < LIMIT) return usualRestMs();
      return isOther ? restMs(NEXT_PAGE_MS, 1) : jittered(longestRestMs, random);
    } catch (error) {
      // What was told is told again, when it has been put off for long enough.
      if (!isTold(error)) report(error);
      return jittered(longestRestMs, random);
    }
  }

  /** A page that begins as the one before is of a store that puts nothing off: it would be the same for ever. */
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
