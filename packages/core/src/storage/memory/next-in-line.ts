import type { NextDelivery } from '../delivery-store.ts';
import type { Instant } from './instant.ts';
import { inFlight, lineUp } from './line-up.ts';
import type { StoredDelivery, StoredWebhook } from './stored-delivery.ts';

/** The first that sleeps until there is room, where there is. It is awake from here on. */
export function nextInLine(
  webhook: StoredWebhook,
  maxInFlight: number,
  now: Instant,
): NextDelivery {
  const delivery = firstAsleep(webhook);
  if (delivery === undefined || webhook.record.disabledAtMs !== null) return null;
  // Those before it are awake, and take the room first.
  if (inFlight(webhook, now) + delivery.rank >= maxInFlight) return null;
  // If whoever is told dies, it is due then, and found late.
  return lineUp(delivery, now);
}

function firstAsleep({ crowd }: StoredWebhook): StoredDelivery | undefined {
  const [first, other] = [crowd.queued.at(0), crowd.waiting.at(0)];
  if (first === undefined || other === undefined) return first ?? other;
  return first.rank < other.rank ? first : other;
}
