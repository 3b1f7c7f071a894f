import type { DeliveryRun } from '../runs/name-of-run.ts';
import { type DeliveryStep, type RunDeps, turnAway } from '../runs/run-delivery.ts';
import { runWithShortWaits } from '../runs/run-with-short-waits.ts';

/** How often a run that waits for the store looks whether the process is closing, ms. */
const LOOK_MS = 250;

/**
 * Runs a delivery, and runs it again in place for as long as the store cannot be asked. Put back into the queue, it
 * would make room for another that fares no better: with a backlog, thousands a second would go through the queue until
 * the store is there again.
 *
 * The caller has acquired a slot of its account; this releases it, also while it waits for the store.
 *
 * @param isClosing - whether a run that waits is to be left to other processes
 * @param onSent - as `runDelivery` takes it. Called once for each attempt: the end of one may be what cannot be stored.
 */
export async function retryWhileStoreUnavailable(
  deps: RunDeps,
  run: DeliveryRun,
  isClosing: () => boolean,
  onSent?: () => void,
): Promise<DeliveryStep> {
  for (;;) {
    const step = await runWithShortWaits(deps, run, onSent);
    if (step.outcome !== 'store_unavailable') return step;
    for (let leftMs = step.delayMs; leftMs > 0; leftMs -= LOOK_MS) {
      if (isClosing()) return step;
      const ms = Math.ceil(Math.min(leftMs, LOOK_MS));
      await new Promise<void>((resolve) => void deps.timers.after(ms, resolve));
    }
    if (isClosing() || !deps.slots.tryAcquire(run.accountId)) return turnAway(deps, run);
  }
}
