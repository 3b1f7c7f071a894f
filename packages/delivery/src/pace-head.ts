import {
  type DeliveryQueue,
  type RescheduleServices,
  reschedulePage,
  type WebhookRef,
} from '@latchhook/core';

/**
 * Has the first of a backlog ask, if it finds room: it names the others. For one of which the oldest expired, as whoever
 * publishes without a transaction has it done.
 */
export async function paceHead(
  context: RescheduleServices,
  queue: Pick<DeliveryQueue, 'reschedule'>,
  webhook: WebhookRef,
): Promise<void> {
  const told = await reschedulePage(context, webhook, { limit: 1, after: null });
  if (told.length > 0) await queue.reschedule(told);
}
