import type { DeliveryContext, DeliveryQueue, WebhookRef } from '@latchhook/core';

/** More than may be under way of most webhooks: whoever is among them and starts names the others. */
const LIMIT = 100;

/** Has those ask that are the first of a backlog, as after a change of the rate. */
export async function paceHead(
  { deliveries, policy }: Pick<DeliveryContext, 'deliveries' | 'policy'>,
  queue: Pick<DeliveryQueue, 'reschedule'>,
  webhook: WebhookRef,
): Promise<void> {
  const { rateMarginMs, leaseMs, maxInFlightPerWebhook: maxInFlight } = policy;
  const page = { limit: LIMIT, after: null };
  const bounds = { rateMarginMs, leaseMs, maxInFlight };
  const told = await deliveries.reschedule(webhook, { ...bounds, ...page });
  if (told.length > 0) await queue.reschedule(told);
}
