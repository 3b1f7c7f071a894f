import type { DeliveryStore, RescheduledDelivery } from '../storage/delivery-store.ts';
import type { Page } from '../storage/page.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';

/** What telling a backlog anew needs, and nothing besides. A `DeliveryContext` has it. */
export interface RescheduleServices {
  readonly deliveries: Pick<DeliveryStore, 'reschedule'>;
  readonly policy: Pick<DeliveryPolicy, 'rateMarginMs' | 'maxInFlightPerWebhook' | 'leaseMs'>;
}

/**
 * Tells a part of what waits for a webhook when to ask, by the policy. The engine is to be told of it.
 *
 * Needed where a rate was changed, and where the oldest of a backlog expired: the rest were scheduled behind deliveries
 * that no longer exist, and would expire themselves before they ask.
 */
export function reschedulePage(
  { deliveries, policy }: RescheduleServices,
  webhook: WebhookRef,
  page: Page,
): Promise<readonly RescheduledDelivery[]> {
  const { rateMarginMs, leaseMs, maxInFlightPerWebhook: maxInFlight } = policy;
  return deliveries.reschedule(webhook, { rateMarginMs, leaseMs, maxInFlight, ...page });
}
