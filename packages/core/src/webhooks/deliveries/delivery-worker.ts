import type { DeliveryContext } from './delivery-context.ts';

/** The outcome of {@link DeliveryWorker.drain}. `drained`: nothing is due or in flight in this process any more. */
export type DrainOutcome = { readonly outcome: 'drained' } | { readonly outcome: 'deadline' };

/** Sends deliveries from this process. */
export interface DeliveryWorker {
  /**
   * Resolves once nothing is due or in flight in this process, or after `deadlineMs`. For hosts that suspend the
   * process between requests: attempts that are in flight when the process is suspended stall, and are sent again.
   */
  drain(options: { readonly deadlineMs: number }): Promise<DrainOutcome>;
  /**
   * Stops claiming, returns attempts that have not begun, and waits for attempts in flight, up to a limit of its own.
   * Attempts that are then still in flight are sent again by other workers, once their leases have expired. Can be
   * called twice.
   */
  close(): Promise<void>;
}

/**
 * Starts a worker: `inProcessWorker()` of `@latchhook/delivery` returns such a function. `createAuth` calls it once.
 */
export type StartDeliveryWorker = (context: DeliveryContext) => DeliveryWorker;

/** The worker of a process that only publishes. There is nothing to wait for. */
export const noDeliveryWorker: DeliveryWorker = {
  drain: async () => ({ outcome: 'drained' }),
  close: async () => {},
};
