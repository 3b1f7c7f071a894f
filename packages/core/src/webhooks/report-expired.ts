import type { SecurityEvent } from '../ports/security-events.ts';
import type { DeliveryRef } from '../storage/delivery-record.ts';

/**
 * Emits `delivery.dead`, for the reason `expired`, for each delivery that publishing, or taking from the outbox, ended.
 */
export function reportExpired(
  expired: readonly DeliveryRef[],
  emit: (event: SecurityEvent) => void,
): void {
  for (const { accountId, webhookId, deliveryId } of expired) {
    emit({ type: 'delivery.dead', reason: 'expired', accountId, webhookId, deliveryId });
  }
}
