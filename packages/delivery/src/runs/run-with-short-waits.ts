import type { DeliveryRun } from './name-of-run.ts';
import { type DeliveryStep, type RunDeps, runDelivery, turnAway } from './run-delivery.ts';

/** The longest single wait in place, ms. A shorter one is not worth a round trip through a queue that wakes late. */
const SHORT_WAIT_MS = 100;
/** The most that all waits in place of one delivery may come to, ms: a slot is for sending. */
const MAX_WAITED_MS = 500;

/**
 * Runs a delivery, and runs it again in place where the store says that its turn is in a moment. Through the queue,
 * each such round would come late by as much as the queue wakes late, and a webhook with a backlog would fall behind
 * its rate.
 *
 * The caller has acquired a slot of its account; this releases it, also for the time in which it only waits.
 *
 * @param onSent - as {@link runDelivery} takes it. Called once at most: no short wait follows an attempt.
 */
export async function runWithShortWaits(
  deps: RunDeps,
  run: DeliveryRun,
  onSent?: () => void,
): Promise<DeliveryStep> {
  let waitedMs = 0;
  for (;;) {
    const step = await runDelivery(deps, run, onSent);
    if (!('delayMs' in step)) return step;
    const { delayMs } = step;
    waitedMs += delayMs;
    if (delayMs > SHORT_WAIT_MS || waitedMs > MAX_WAITED_MS) return step;
    await new Promise<void>((resolve) => void deps.timers.after(Math.ceil(delayMs), resolve));
    if (!deps.slots.tryAcquire(run.accountId)) return turnAway(deps, run);
  }
}
