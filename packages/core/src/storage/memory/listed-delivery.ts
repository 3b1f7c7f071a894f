import type { DeliveryRecord, ListedDelivery } from '../delivery-record.ts';
import { withoutResponse } from './attempt-log.ts';
import type { StoredDelivery } from './stored-delivery.ts';

/** A delivery as lists show it. */
export function listedDelivery(delivery: StoredDelivery): ListedDelivery {
  const { ref, message, sequence, state, deadReason, attempts } = delivery;
  const isScheduled = state === 'queued' || state === 'waiting';
  return {
    ...ref,
    event: message.event,
    sequence,
    state,
    deadReason,
    createdAtMs: message.createdAtMs,
    nextAttemptAtMs: isScheduled ? delivery.dueAtMs : null,
    attempts: attempts.map(withoutResponse),
  };
}

/** The same, with what receivers answered. */
export function deliveryRecord(delivery: StoredDelivery): DeliveryRecord {
  return { ...listedDelivery(delivery), attempts: delivery.attempts };
}
