import type { Clock } from '@latchhook/core';
import { type DeliveryQueue, monotonicMs, type Timers } from '@latchhook/core/delivery';
import type { DeliveryStore, WebhookRef } from '@latchhook/core/storage';
import { type FaultReporter, isReported } from '../fault-reporter.ts';
import { jittered } from '../jittered.ts';
import { type Background, repeat } from './repeat.ts';

/** How often the store is asked while there is nothing to release, ms, give or take a fifth. Also after a fault. */
const INTERVAL_MS = 30_000;
/** While there is more, it pauses so many times as long as it took: whoever enabled the webhook may be at it too. */
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
export function startReleaser(deps: ReleaserDeps): Background {
  const { deliveries, queue, report, clock, random, timers } = deps;

  /** @returns how many it released; 0 after a fault, which is the webhook's alone */
  async function releaseSome(webhook: WebhookRef): Promise<number> {
    try {
      const batch = await deliveries.release(webhook, { limit: DELIVERIES });
      if (batch === null) return 0;
      // What the queue does not take is late, and found by a sweep.
      await queue.enqueue(batch.scheduled);
      return batch.count;
    } catch (error) {
      reportOnce(error);
      return 0;
    }
  }

  /** @returns how long to pause before the next look, ms */
  async function look(): Promise<number> {
    const beganAtMs = monotonicMs(clock);
    let released = 0;
    try {
      for (const webhook of await deliveries.unreleased({ limit: WEBHOOKS })) {
        released += await releaseSome(webhook);
      }
    } catch (error) {
      reportOnce(error);
    }
    if (released === 0) return jittered(INTERVAL_MS, random);
    return Math.max(MIN_PAUSE_MS, PAUSE_PER_LOOK * (monotonicMs(clock) - beganAtMs));
  }

  function reportOnce(error: unknown): void {
    if (!isReported(error)) report(error);
  }

  return repeat(look, random() * INTERVAL_MS, timers);
}
