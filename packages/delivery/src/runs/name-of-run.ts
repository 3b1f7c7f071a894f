import type { ScheduledDelivery } from '@latchhook/core/storage';

/** What an engine is asked for: one delivery, from its beginning to its end or to the next resend. */
export type DeliveryRun = Omit<ScheduledDelivery, 'delayMs'>;

/** Names one run among all others. An engine takes each once; also the id of its job in BullMQ. */
export function nameOfRun({ webhookId, deliveryId, run }: DeliveryRun): string {
  return `${webhookId}.${deliveryId}.${run}`;
}
