import type { NextDelivery } from '../delivery-outcomes.ts';
import { REWAKE_AFTER_MS } from '../lateness.ts';
import type { Instant } from './instant.ts';
import { inFlight, lineUp } from './line-up.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';
import { rankOf, whoseTurn } from './turns.ts';

/** Where there is room: the delivery whose turn it is, if it is late; else the first parked one. It is woken. */
export function nextInLine(
  webhook: StoredWebhook,
  maxInFlight: number,
  now: Instant,
): NextDelivery {
  const parked = firstParked(webhook);
  if (parked === undefined || webhook.record.disabledAtMs !== null) return null;
  const room = maxInFlight - inFlight(webhook, now);
  if (room <= 0) return null;
  const head = whoseTurn(webhook);
  const isLate = head !== undefined && head.dueAtMs <= now.nowMs - REWAKE_AFTER_MS;
  if (isLate) return lineUp(head, now);
  // If the caller dies before it asks, the delivery is due by then, and woken again.
  return rankOf(parked) < room ? lineUp(parked, now) : null;
}

function firstParked({ parked }: StoredWebhook): StoredDelivery | undefined {
  const [first, other] = [parked.queued.at(0), parked.waiting.at(0)];
  if (first === undefined || other === undefined) return first ?? other;
  return rankOf(first) < rankOf(other) ? first : other;
}
