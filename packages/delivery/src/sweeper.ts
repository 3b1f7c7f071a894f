import type { DeliveryQueue, DeliveryStore, ScheduledDelivery, Timers } from '@latchhook/core';
import { type FaultReporter, isTold } from './fault-reporter.ts';
import { jittered } from './jittered.ts';
import { nameOfRun } from './name-of-run.ts';
import { unrefTimers } from './unref-timers.ts';

export const DEFAULT_INTERVAL_MS = 5_000;
export const DEFAULT_GRACE_MS = 5_000;
/** Deliveries of one sweep. */
const LIMIT = 200;
/**
 * Between two sweeps while there is more to find, at least, ms. At most it is the usual pause, and else as long as the
 * sweep has taken: where nothing was lost, and a backlog is what it finds, store and queue are for whoever works it off.
 */
const NEXT_PAGE_MS = 100;

/** How lost deliveries are looked for. */
export interface SweepOptions {
  /** How often the store is asked, ms. Default: 5,000, give or take a fifth. */
  readonly intervalMs?: number;
  /** How late a delivery must be before it counts as lost, ms. Default: 5,000. */
  readonly graceMs?: number;
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
 * Concurrency: every process that sends has one. What several of them find is started once.
 */
export function startSweeper(
  deliveries: Pick<DeliveryStore, 'overdue'>,
  queue: Pick<DeliveryQueue, 'enqueue' | 'reschedule'>,
  report: FaultReporter,
  options: SweepOptions = {},
): Sweeper {
  const { intervalMs = DEFAULT_INTERVAL_MS, graceMs = DEFAULT_GRACE_MS } = options;
  const { timers = unrefTimers, random = Math.random } = options;
  let isStopped = false;
  let cancel = (): void => {};
  let underWay: Promise<void> = Promise.resolve();
  let before = new Set<string>();

  const pauseMs = (): number => jittered(intervalMs, random);

  /** @returns how long to wait for the next. */
  async function sweep(): Promise<number> {
    const beganAtMs = performance.now();
    try {
      const found = await deliveries.overdue({ graceMs, limit: LIMIT });
      if (found.length === 0 || isStopped) return pauseMs();
      await queue.enqueue(found);
      // What the engine has already, it has with a delay that is wrong: its clock is.
      await queue.reschedule(found);
      if (!hasMore(found)) return pauseMs();
      return Math.min(pauseMs(), Math.max(NEXT_PAGE_MS, performance.now() - beganAtMs));
    } catch (error) {
      // All of it is found again.
      if (!isTold(error)) report(error);
      return pauseMs();
    }
  }

  /** A full page of which all was found before is a backlog that the workers have not come to. */
  function hasMore(found: readonly ScheduledDelivery[]): boolean {
    const names = new Set(found.map(nameOfRun));
    const isNew = [...names].some((name) => !before.has(name));
    before = names;
    return isNew && found.length >= LIMIT;
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
