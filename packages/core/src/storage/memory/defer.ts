import type { StartRequest } from '../delivery-store.ts';
import type { Instant } from './instant.ts';
import { inFlight, lineUp, rateOf } from './line-up.ts';
import type { StoredDelivery } from './stored-delivery.ts';

/** Why a delivery waits in its line, and until when. */
export interface Deferral {
  readonly by: 'rate' | 'in_flight';
  readonly delayMs: number;
}

/**
 * What stands in the way of a delivery that has so many others before it: it waits in its line then. `undefined`:
 * nothing does.
 */
export function defer(
  delivery: StoredDelivery,
  rank: number,
  { maxInFlight, leaseMs }: Pick<StartRequest, 'maxInFlight' | 'leaseMs'>,
  now: Instant,
): Deferral | undefined {
  const { webhook } = delivery;
  const { starts } = webhook;
  if (inFlight(webhook, now) + rank < maxInFlight) {
    if (rank < starts.free(now.steadyMs, rateOf(webhook))) return undefined;
    return { by: 'rate', delayMs: lineUp(delivery, now).delayMs };
  }
  delivery.joinRetries();
  // When there is room at the worst, if every attempt takes its whole lease. It is named sooner.
  const roomAfterMs = Math.ceil(leaseMs * (delivery.rank / maxInFlight + 1));
  const rateAfterMs = starts.delayMs(delivery.rank, now.steadyMs, rateOf(webhook));
  const delayMs = Math.max(roomAfterMs, rateAfterMs);
  delivery.joinCrowd();
  delivery.dueAtMs = now.nowMs + delayMs;
  return { by: 'in_flight', delayMs };
}
