import type { Clock } from '@latchhook/core';
import type { DeliveryQueue, Timers } from '@latchhook/core/delivery';
import { type DeliveryStore, LEASE_SLACK_MS } from '@latchhook/core/storage';
import { type FaultReporter, isReported } from '../fault-reporter.ts';
import { unrefTimers } from '../unref-timers.ts';
import { SweepPace } from './sweep-pace.ts';

/** So that what a dead process had in flight is found within a second of the end of its lease, jitter included. */
export const DEFAULT_INTERVAL_MS = 700;
/** For attempts it is the slack of their lease, so that they are found as the lease ends. */
export const DEFAULT_GRACE_MS = LEASE_SLACK_MS;
/**
 * Short enough for deliveries that are returned to a process that dies before its engine has them: nobody else finds
 * them any sooner. Long enough for a standing backlog: what waits for a slot of its account is late, though not lost,
 * and all of it is returned once in this time and the grace. For 50,000 deliveries that is 250 pages, some 4 % of
 * Redis's time.
 */
export const DEFAULT_PUT_OFF_MS = 30_000;
/** Deliveries that one sweep asks for. */
const PAGE_SIZE = 200;

/** How lost deliveries are looked for. */
export interface SweepOptions {
  /**
   * How often the store is asked, ms, give or take a fifth. After a sweep that took long the next comes later: after
   * fifty times as long, up to 5,000; and after 5,000 once this process has had nothing to send for 30 s. Default: 700.
   */
  readonly intervalMs?: number;
  /**
   * How late a delivery must be before it counts as lost, ms. Default: 5,000, which for attempts is when their lease
   * ends.
   */
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

/** What a sweeper works with. */
export interface SweeperDeps {
  readonly deliveries: Pick<DeliveryStore, 'overdue'>;
  readonly queue: Pick<DeliveryQueue, 'enqueue' | 'reschedule'>;
  readonly report: FaultReporter;
  /** Durations are measured by it. */
  readonly clock: Clock;
  /** How many attempts this process has asked to start. Absent: the process counts as always busy. */
  readonly attemptsSoFar?: () => number;
}

/** A sweeper at work. */
export interface Sweeper {
  /** Ends it; settles when no call is pending any more. */
  stop(): Promise<void>;
}

/**
 * Asks the store now and then for deliveries that are late, and hands them to the engine: the engine lost its data, or
 * a process died between storing a delivery and handing it over.
 *
 * Concurrency: every process that sends has one. The store returns different deliveries to each of them; one that is
 * returned twice is still started only once.
 */
export function startSweeper(deps: SweeperDeps, options: SweepOptions = {}): Sweeper {
  const { deliveries, queue, report } = deps;
  const { intervalMs = DEFAULT_INTERVAL_MS, graceMs = DEFAULT_GRACE_MS } = options;
  const { putOffMs = DEFAULT_PUT_OFF_MS, timers = unrefTimers, random = Math.random } = options;
  const pace = new SweepPace({ ...deps, intervalMs, random, pageSize: PAGE_SIZE });
  let isStopped = false;
  let cancel = (): void => {};
  let sweeping: Promise<void> = Promise.resolve();

  /** @returns how long to pause before the next, ms. */
  async function sweep(): Promise<number> {
    pace.noteBegin();
    try {
      const found = await deliveries.overdue({ graceMs, limit: PAGE_SIZE, putOffMs });
      if (found.length === 0) return pace.afterEmpty();
      pace.noteFound();
      // Even if it was stopped meanwhile: nobody else finds these for a while.
      await queue.enqueue(found);
      // What the engine had already has waited in it for too long, as its clock differs from the store's.
      await queue.reschedule(found);
      return pace.afterPage(found);
    } catch (error) {
      // What was returned is returned again, when it has been put off for long enough.
      if (!isReported(error)) report(error);
      return pace.afterFault();
    }
  }

  function sweepAfter(pauseMs: number): void {
    if (isStopped) return;
    cancel = timers.after(pauseMs, () => {
      sweeping = sweep().then(sweepAfter);
    });
  }

  sweepAfter(pace.beforeFirst());
  return {
    async stop() {
      isStopped = true;
      cancel();
      await sweeping;
    },
  };
}
