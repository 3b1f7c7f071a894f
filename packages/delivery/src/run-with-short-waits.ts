import type { DeliveryRun } from './name-of-run.ts';
import { type DeliveryStep, type RunParts, runDelivery, turnAway } from './run-delivery.ts';

/** A queue wakes late, and to tell it takes time too: what is due sooner waits better in place, ms. */
const SHORT_WAIT_MS = 100;
/** Of all waits in place together, ms: a slot is for sending. */
const WAITED_AT_MOST_MS = 500;

/**
 * Runs a delivery, and again where the store says that its turn is in a moment. Without it each round through
 * the queue would come late by as much as the queue does, and a webhook with a backlog fall behind its rate.
 *
 * Whoever asks has entered a place of its account, which is left, also while nothing but time is waited for.
 */
export async function runWithShortWaits(parts: RunParts, run: DeliveryRun): Promise<DeliveryStep> {
  let waitedMs = 0;
  for (;;) {
    const step = await runDelivery(parts, run);
    if (step.next === 'done' || step.failure !== null) return step;
    const { delayMs } = step;
    waitedMs += delayMs;
    if (delayMs > SHORT_WAIT_MS || waitedMs > WAITED_AT_MOST_MS) return step;
    await new Promise<void>((resolve) => void parts.timers.after(Math.ceil(delayMs), resolve));
    if (!parts.places.enter(run.accountId)) return turnAway(parts, run);
  }
}
