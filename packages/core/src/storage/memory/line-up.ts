import type { ScheduledDelivery } from '../delivery-outcomes.ts';
import type { StartRequest } from '../delivery-requests.ts';
import { RATE_LIMIT_PERIOD_MS } from '../webhook-store.ts';
import type { Instant } from './instant.ts';
import type { Rate } from './start-times.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';
import { rankOf } from './turns.ts';

/** The rate that holds for a webhook now. */
function rateOf({ record, rateMarginMs }: StoredWebhook): Rate {
  return {
    limit: record.rateLimit,
    windowMs: RATE_LIMIT_PERIOD_MS[record.rateLimitPeriod] + rateMarginMs,
  };
}

/** How many attempts are in flight. Those whose lease is over do not count. */
export function inFlight({ leases }: StoredWebhook, { nowMs }: Instant): number {
  for (let over = leases.take(nowMs); over !== undefined; over = leases.take(nowMs)) {
    over.isCounted = false;
  }
  return leases.size;
}

/** What keeps a delivery with `rank` others before it from starting; `null`: nothing. */
export function obstacleTo(
  webhook: StoredWebhook,
  rank: number,
  maxInFlight: number,
  now: Instant,
): 'rate' | 'in_flight' | null {
  if (inFlight(webhook, now) + rank >= maxInFlight) return 'in_flight';
  if (pauseLeftMs(webhook, now) > 0) return 'rate';
  return webhook.starts.free(now.steadyMs, rateOf(webhook)) <= rank ? 'rate' : null;
}

/** Parks a delivery in its line until it is woken; at the worst, it is scheduled for when there is room and rate. */
export function park(
  delivery: StoredDelivery,
  { maxInFlight, leaseMs }: Pick<StartRequest, 'maxInFlight' | 'leaseMs'>,
  now: Instant,
): ScheduledDelivery {
  delivery.joinRetries();
  delivery.park();
  // At the worst, every attempt takes its whole lease.
  const roomAfterMs =
    pauseLeftMs(delivery.webhook, now) + Math.ceil(leaseMs * (rankOf(delivery) / maxInFlight + 1));
  const delayMs = Math.max(roomAfterMs, rateAfterMs(delivery, now));
  delivery.dueAtMs = now.nowMs + delayMs;
  return scheduledIn(delayMs, delivery);
}

/** Schedules a delivery that is queued or waiting for when the rate lets it start; it keeps its place until then. */
export function lineUp(delivery: StoredDelivery, now: Instant): ScheduledDelivery {
  delivery.joinRetries();
  delivery.unpark();
  const delayMs = rateAfterMs(delivery, now);
  delivery.dueAtMs = now.nowMs + delayMs;
  return scheduledIn(delayMs, delivery);
}

function rateAfterMs(delivery: StoredDelivery, now: Instant): number {
  const { webhook } = delivery;
  const rank = rankOf(delivery);
  const rate = rateOf(webhook);
  const delayMs = webhook.starts.delayMs(rank, now.steadyMs, rate);
  const pauseMs = pauseLeftMs(webhook, now);
  // What waits for the end of a pause does not all come at its end.
  return pauseMs === 0
    ? delayMs
    : Math.max(delayMs, pauseMs + Math.ceil((rank * rate.windowMs) / rate.limit));
}

/** For how many whole ms the webhook still pauses; 0: it does not. */
function pauseLeftMs({ pausedUntilMs }: StoredWebhook, { steadyMs }: Instant): number {
  return Math.max(0, Math.ceil(pausedUntilMs - steadyMs));
}

/** What an engine is handed for a delivery. */
export function scheduledIn(delayMs: number, delivery: StoredDelivery): ScheduledDelivery {
  const { accountId, webhookId } = delivery.webhook.record;
  // Not spread from `ref`: that alone would be a tenth of what publishing costs.
  const deliveryId = delivery.message.messageId;
  return { accountId, webhookId, deliveryId, run: delivery.run, delayMs };
}
