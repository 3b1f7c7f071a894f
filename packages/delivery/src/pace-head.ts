import type { DeliveryContext, DeliveryQueue, WebhookRef } from '@latchhook/core';

/**
 * Has the first of a backlog ask of which the oldest expired, if it finds room: it names the others. As whoever publishes
 * without a transaction has it done.
 */
export async function paceHead(
  { deliveries, policy }: Pick<DeliveryContext, 'deliveries' | 'policy'>,
  queue: Pick<DeliveryQueue, 'reschedule'>,
  webhook: WebhookRef,
): Promise<void> {
  const { rateMarginMs, leaseMs, maxInFlightPerWebhook: maxInFlight } = policy;
  const page = { limit: 1, after: null };
  const bounds = { rateMarginMs, leaseMs, maxInFlight };
  const told = await deliveries.reschedule(webhook, { ...bounds, ...page });
  if (told.length > 0) await queue.reschedule(told);
}
