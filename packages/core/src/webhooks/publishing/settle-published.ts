import type { Awaitable } from '../../awaitable.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import type { ScheduledDelivery } from '../../storage/delivery-outcomes.ts';
import type { DeliveryRef } from '../../storage/delivery-record.ts';
import type { WebhookRef } from '../../storage/webhook-store.ts';

/** What publishing, or taking from the outbox, has decided about deliveries: `PublishOutcome` has it. */
export interface PublishedDeliveries {
  /** What the engine is to be handed. */
  readonly scheduled: readonly ScheduledDelivery[];
  /** What was marked dead. Absent: nothing. */
  readonly expired?: readonly DeliveryRef[];
}

/** Who learns what was published. */
export interface SettlePublishedDeps {
  readonly emit: (event: SecurityEvent) => void;
  /** Hands deliveries to the engine: at least one. */
  readonly enqueue: (deliveries: readonly ScheduledDelivery[]) => Awaitable<void>;
  /** Begins to reschedule the first of a backlog whose oldest deliveries expired. Neither throws nor is waited for. */
  readonly rescheduleHead: (webhook: WebhookRef) => void;
}

/**
 * Does what follows once messages are stored: emits `delivery.dead`, for the reason `expired`, for each delivery that
 * expired, has each of their backlogs rescheduled once, and hands the engine what is scheduled.
 *
 * The engine comes last, since it may reject: a sweep finds what it has not taken, but nothing else reschedules a
 * backlog that waits behind deliveries that are gone.
 *
 * @returns what `enqueue` does; without a promise where there is nothing to hand over
 */
export function settlePublished(
  published: PublishedDeliveries,
  deps: SettlePublishedDeps,
): Awaitable<void> {
  const { scheduled, expired = [] } = published;
  if (expired.length > 0) {
    reportExpired(expired, deps.emit);
    for (const webhook of webhooksOf(expired)) deps.rescheduleHead(webhook);
  }
  if (scheduled.length > 0) return deps.enqueue(scheduled);
}

function reportExpired(
  expired: readonly DeliveryRef[],
  emit: (event: SecurityEvent) => void,
): void {
  for (const { accountId, webhookId, deliveryId } of expired) {
    emit({ type: 'delivery.dead', reason: 'expired', accountId, webhookId, deliveryId });
  }
}

/** Each webhook once, by its id, which is random. */
function webhooksOf(deliveries: readonly DeliveryRef[]): Iterable<WebhookRef> {
  return new Map(deliveries.map((delivery) => [delivery.webhookId, delivery])).values();
}
