import type * as v from 'valibot';
import { timeText } from '../../schema/answer-fields.ts';
import type { ListedDelivery } from '../../storage/delivery-record.ts';
import type { WebhookRecord } from '../../storage/webhook-store.ts';
import type { deliveryAnswer, WebhookSchemas } from './webhook-schemas.ts';

/** A webhook as clients see it: without its secrets and its position in lists. */
export type WebhookBody = (
  webhook: WebhookRecord,
) => v.InferOutput<WebhookSchemas['webhookAnswer']>;

/** @param eventTypes - the events that the app publishes, by name */
export function webhookBodyFor(eventTypes: ReadonlyMap<string, unknown>): WebhookBody {
  return (webhook) => ({
    object: 'Webhook',
    id: webhook.webhookId,
    account_id: webhook.accountId,
    event: webhook.event,
    url: webhook.url,
    rate_limit: webhook.rateLimit,
    rate_limit_period: webhook.rateLimitPeriod,
    created_at: timeText(webhook.createdAtMs),
    updated_at: timeText(webhook.updatedAtMs),
    disabled_at: webhook.disabledAtMs === null ? null : timeText(webhook.disabledAtMs),
    disabled_reason: webhook.disabledReason,
    ...(!eventTypes.has(webhook.event) && { event_removed: true }),
  });
}

/**
 * A delivery as clients see it.
 *
 * Security: without the receiver's response. Otherwise anyone who may register a URL could read what only this machine
 * can reach.
 */
export function deliveryBody(delivery: ListedDelivery): v.InferOutput<typeof deliveryAnswer> {
  return {
    object: 'Delivery',
    id: delivery.deliveryId,
    event: delivery.event,
    state: delivery.state,
    reason: delivery.deadReason,
    created_at: timeText(delivery.createdAtMs),
    next_attempt_at: delivery.nextAttemptAtMs === null ? null : timeText(delivery.nextAttemptAtMs),
    attempts: delivery.attempts.map(({ startedAtMs, status, durationMs, error }) => ({
      at: timeText(startedAtMs),
      status,
      duration_ms: durationMs,
      error,
    })),
  };
}
