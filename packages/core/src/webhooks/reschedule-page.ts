import type { RescheduledDelivery } from '../storage/delivery-outcomes.ts';
import type { RescheduleRequest } from '../storage/delivery-requests.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';

/** What rescheduling needs. A `DeliveryContext` has all of it. */
export interface RescheduleDeps {
  readonly deliveries: Pick<DeliveryStore, 'reschedule'>;
  readonly policy: Pick<DeliveryPolicy, 'rateMarginMs' | 'maxInFlightPerWebhook' | 'leaseMs'>;
}

/**
 * Has the store reschedule a page of a webhook's backlog, within the policy. The caller passes it to the engine. The
 * page of a webhook that was removed meanwhile is empty.
 *
 * Needed where a rate was changed, and where the oldest deliveries of a backlog expired: the rest were scheduled behind
 * these, and would expire themselves before they ask.
 */
export async function reschedulePage(
  { deliveries, policy }: RescheduleDeps,
  webhook: WebhookRef,
  page: Pick<RescheduleRequest, 'limit' | 'after'>,
): Promise<readonly RescheduledDelivery[]> {
  const { rateMarginMs, leaseMs, maxInFlightPerWebhook: maxInFlight } = policy;
  const limits = { rateMarginMs, leaseMs, maxInFlight };
  return (await deliveries.reschedule(webhook, { ...limits, ...page })) ?? [];
}
