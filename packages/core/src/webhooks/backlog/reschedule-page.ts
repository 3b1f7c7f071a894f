import type { RescheduledDelivery } from '../../storage/delivery-outcomes.ts';
import type { RescheduleRequest } from '../../storage/delivery-requests.ts';
import type { DeliveryStore } from '../../storage/delivery-store.ts';
import type { WebhookRef } from '../../storage/webhook-store.ts';
import type { DeliveryQueue } from '../deliveries/delivery-engine.ts';
import type { DeliveryPolicy } from '../deliveries/delivery-policy.ts';

/** What rescheduling needs. A `DeliveryContext` has all of it but the queue. */
export interface RescheduleDeps {
  readonly deliveries: Pick<DeliveryStore, 'reschedule'>;
  readonly policy: Pick<DeliveryPolicy, 'rateMarginMs' | 'maxInFlightPerWebhook' | 'leaseMs'>;
  readonly queue: Pick<DeliveryQueue, 'reschedule'>;
}

/**
 * Reschedules a page of a webhook's backlog, within the policy: in the store, and then in the engine. The page of a
 * webhook that was removed meanwhile is empty.
 */
export async function reschedulePage(
  { deliveries, policy, queue }: RescheduleDeps,
  webhook: WebhookRef,
  page: Pick<RescheduleRequest, 'limit' | 'after'>,
): Promise<readonly RescheduledDelivery[]> {
  const { rateMarginMs, leaseMs, maxInFlightPerWebhook: maxInFlight } = policy;
  const limits = { rateMarginMs, leaseMs, maxInFlight };
  const rescheduled = (await deliveries.reschedule(webhook, { ...limits, ...page })) ?? [];
  if (rescheduled.length > 0) await queue.reschedule(rescheduled);
  return rescheduled;
}

/**
 * Has the first delivery of a backlog ask the store, if there is room for it; its start wakes the others. Needed where
 * the oldest deliveries of a backlog expired: the rest were scheduled behind these, and would expire themselves before
 * they ask.
 */
export async function rescheduleHead(deps: RescheduleDeps, webhook: WebhookRef): Promise<void> {
  await reschedulePage(deps, webhook, { limit: 1, after: null });
}
