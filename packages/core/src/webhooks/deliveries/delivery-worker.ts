import type { DeliveryContext } from './delivery-context.ts';

/** What came of {@link DeliveryWorker.drain}: whether nothing is due or in flight here any more. */
export type DrainOutcome = { readonly outcome: 'drained' } | { readonly outcome: 'deadline' };

/** Sends deliveries from this process. */
export interface DeliveryWorker {
  /**
   * Resolves once nothing is due or in flight in this process, or after `deadlineMs`. For hosts that stand still
   * between requests: what is in flight then counts as lost, and is sent again.
   */
  drain(options: { readonly deadlineMs: number }): Promise<DrainOutcome>;
  /**
   * Claims nothing more, gives back what has not begun, and waits for attempts in flight. What is still in flight after
   * that is sent again by others once its lease is over. Can be called twice.
   */
  close(): Promise<void>;
}

/** Starts to send: `inProcessWorker()` of `@latchhook/delivery` makes one. Called once, by `createAuth`. */
export type StartDeliveryWorker = (context: DeliveryContext) => DeliveryWorker;

/** Of a process that only publishes: there is nothing to wait for. */
export const noDeliveryWorker: DeliveryWorker = {
  drain: async () => ({ outcome: 'drained' }),
  close: async () => {},
};
