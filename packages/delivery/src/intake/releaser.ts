import type { Clock } from '@latchhook/core';
import { type DeliveryQueue, monotonicMs, type Timers } from '@latchhook/core/delivery';
import type { DeliveryStore } from '@latchhook/core/storage';
import { type FaultReporter, isReported } from '../fault-reporter.ts';
import { jittered } from '../jittered.ts';
import { type Repeated, repeat } from './repeat.ts';

/** How often the store is asked while there is nothing to release, ms, give or take a fifth. Also after a fault. */
const INTERVAL_MS = 30_000;
/** Otherwise the pause is so many times as long as it took: whoever enabled the webhook may be releasing too. */
const PAUSE_PER_LOOK = 3;
const MIN_PAUSE_MS = 100;
/** How many webhooks one look is about. */
const WEBHOOKS = 10;
/** How many deliveries of each it releases. */
const DELIVERIES = 100;

/** What a releaser works with. */
export interface ReleaserDeps {
  readonly deliveries: Pick<DeliveryStore, 'unreleased' | 'release'>;
  readonly queue: Pick<DeliveryQueue, 'enqueue'>;
  readonly report: FaultReporter;
  /** Durations are measured by it. */
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly timers: Timers;
}

/**
 * Looks now and then for enabled webhooks of which deliveries are still held, and releases them: the process that was
 * enabling the webhook released some, and died, or could not reach the store.
 *
 * Concurrency: every process that sends has one. A delivery is released once.
 */
export function startReleaser(deps: ReleaserDeps): Repeated {
  const { deliveries, queue, report, clock, random, timers } = deps;

  async function releaseSome(): Promise<number> {
    const beganAtMs = monotonicMs(clock);
    let released = 0;
    for (const webhook of await deliveries.unreleased({ limit: WEBHOOKS })) {
      const batch = await deliveries.release(webhook, { limit: DELIVERIES });
      if (batch === null) continue;
      released += batch.count;
      // What the queue does not take is late, and found by a sweep.
      await queue.enqueue(batch.scheduled);
    }
    if (released === 0) return jittered(INTERVAL_MS, random);
    return Math.max(MIN_PAUSE_MS, PAUSE_PER_LOOK * (monotonicMs(clock) - beganAtMs));
  }

  return repeat(
    () =>
      releaseSome().catch((error) => {
        if (!isReported(error)) report(error);
        return jittered(INTERVAL_MS, random);
      }),
    random() * INTERVAL_MS,
    timers,
  );
}
