import { type Awaitable, isPromise } from '../../awaitable.ts';
import type { CallBoundary } from '../../faults/call-boundary.ts';
import { emitFaultOf } from '../../faults/emit-fault-of.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import type { ScheduledDelivery } from '../../storage/delivery-outcomes.ts';
import type { DeliveryQueue } from './delivery-engine.ts';

/** Hands deliveries that the store has scheduled to the engine. Never rejects. */
export type HandOver = (deliveries: readonly ScheduledDelivery[]) => Awaitable<void>;

/**
 * An engine that does not take deliveries only delays them: they are in the store, where a sweep finds what is overdue.
 * A rejection would make the caller believe that nothing will be sent.
 */
export function createHandOver(
  queue: Pick<DeliveryQueue, 'enqueue'>,
  callEngine: CallBoundary,
  emit: (event: SecurityEvent) => void,
): HandOver {
  return (deliveries) => {
    if (deliveries.length === 0) return;
    const taken = callEngine(() => queue.enqueue(deliveries));
    if (isPromise(taken)) return taken.catch((error: unknown) => emitFaultOf(error, emit));
  };
}
