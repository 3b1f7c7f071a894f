import type { Guard } from '../ports/fault-guard.ts';
import type { ScheduledDelivery } from '../storage/delivery-store.ts';
import type { DeliveryQueue } from './delivery-engine.ts';

/** Hands deliveries that the store has scheduled to the engine. Never rejects. */
export type HandOver = (deliveries: readonly ScheduledDelivery[]) => Promise<void>;

/**
 * An engine that does not take deliveries costs them time and nothing else: they are in the store, and
 * whoever sends finds there what is overdue. To reject would tell the caller that nothing will be sent.
 */
export function createHandOver(queue: Pick<DeliveryQueue, 'enqueue'>, guard: Guard): HandOver {
  return (deliveries) => {
    if (deliveries.length === 0) return Promise.resolve();
    // The guard tells of it.
    return guard(() => queue.enqueue(deliveries)).catch(() => {});
  };
}
