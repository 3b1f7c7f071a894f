import type { Awaitable, Clock } from '@latchhook/core';
import type { DeliveryQueue } from '@latchhook/core/delivery';
import type { DeliveryStore, ScheduledDelivery } from '@latchhook/core/storage';
import { type FaultReporter, isReported } from '../fault-reporter.ts';
import { type Background, repeat } from './repeat.ts';
import type { ResolvedSweep } from './sweep-options.ts';
import { SweepPace } from './sweep-pace.ts';

/** Deliveries that one sweep asks for. */
const PAGE_SIZE = 200;

/** Where a sweeper brings what was lost. */
export interface SweptQueue extends Pick<DeliveryQueue, 'reschedule'> {
  /** As `enqueue`, but behind nothing of its webhook: the store may have it start before all that is here. */
  takeLost(deliveries: readonly ScheduledDelivery[]): Awaitable<void>;
}

/** What a sweeper works with. */
export interface SweeperDeps {
  readonly deliveries: Pick<DeliveryStore, 'overdue'>;
  readonly queue: SweptQueue;
  readonly report: FaultReporter;
  /** Durations are measured by it. */
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** How many attempts this process has asked to start. */
  readonly attemptsSoFar: () => number;
}

/**
 * Asks the store now and then for deliveries that are late, and hands them to the engine: the engine lost its data, or
 * a process died between storing a delivery and handing it over.
 *
 * Concurrency: every process that sends has one. The store returns different deliveries to each of them; one that is
 * returned twice is still started only once.
 */
export function startSweeper(deps: SweeperDeps, options: ResolvedSweep): Background {
  const { deliveries, queue, report } = deps;
  const { intervalMs, graceMs, putOffMs, timers } = options;
  const pace = new SweepPace({ ...deps, intervalMs, pageSize: PAGE_SIZE });

  /** @returns how long to pause before the next, ms. */
  async function sweep(): Promise<number> {
    pace.noteBegin();
    try {
      const found = await deliveries.overdue({ graceMs, limit: PAGE_SIZE, putOffMs });
      pace.noteAnswer(found);
      if (found.length === 0) return pace.afterEmpty();
      // Even if it was stopped meanwhile: nobody else finds these for a while.
      await queue.takeLost(found);
      // What the engine had already has waited in it for too long, as its clock differs from the store's.
      await queue.reschedule(found);
      return pace.afterPage(found);
    } catch (error) {
      // What was returned is returned again, when it has been put off for long enough.
      if (!isReported(error)) report(error);
      return pace.afterFault();
    }
  }

  return repeat(sweep, pace.beforeFirst(), timers);
}
