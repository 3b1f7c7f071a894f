import type { ScheduledDelivery } from '../delivery-store.ts';
import { RATE_LIMIT_PERIOD_MS } from '../webhook-store.ts';
import type { Instant } from './instant.ts';
import type { Rate } from './start-times.ts';
import type { StoredDelivery, StoredWebhook } from './stored-delivery.ts';

/** The rate that holds for a webhook now. */
export function rateOf({ record, rateMarginMs }: StoredWebhook): Rate {
  return {
    limit: record.rateLimit,
    windowMs: RATE_LIMIT_PERIOD_MS[record.rateLimitPeriod] + rateMarginMs,
  };
}

/** How many attempts are under way. Those whose lease is over are not. */
export function inFlight({ leases }: StoredWebhook, { nowMs }: Instant): number {
  for (let next = leases.first; next !== undefined; next = leases.first) {
    if (next.atMs > nowMs) break;
    next.value.dropLease();
  }
  return leases.size;
}

/** Tells a delivery that is queued or waiting when the rate is for its turn, and keeps its place until then. */
export function lineUp(delivery: StoredDelivery, now: Instant): ScheduledDelivery {
  const { webhook } = delivery;
  delivery.joinRetries();
  delivery.leaveCrowd();
  const delayMs = webhook.starts.delayMs(delivery.rank, now.steadyMs, rateOf(webhook));
  delivery.dueAtMs = now.nowMs + delayMs;
  return scheduledIn(delayMs, delivery);
}

/** What an engine is handed for a delivery. */
export function scheduledIn(delayMs: number, delivery: StoredDelivery): ScheduledDelivery {
  const { accountId, webhookId } = delivery.webhook.record;
  // Not spread from `ref`: that alone would be a tenth of what publishing costs.
  const deliveryId = delivery.message.messageId;
  return { accountId, webhookId, deliveryId, run: delivery.run, delayMs };
}
