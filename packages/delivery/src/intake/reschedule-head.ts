import { type DeliveryQueue, type RescheduleDeps, reschedulePage } from '@latchhook/core/delivery';
import type { WebhookRef } from '@latchhook/core/storage';

/**
 * Has the first delivery of a backlog ask the store, if there is room for it; its start wakes the others. For a backlog
 * whose oldest deliveries expired (see {@link reschedulePage}); publishing without a transaction does the same.
 */
export async function rescheduleHead(
  context: RescheduleDeps,
  queue: Pick<DeliveryQueue, 'reschedule'>,
  webhook: WebhookRef,
): Promise<void> {
  const returned = await reschedulePage(context, webhook, { limit: 1, after: null });
  if (returned.length > 0) await queue.reschedule(returned);
}
