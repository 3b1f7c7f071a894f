import type { ClaimedAttempt, DeliveryStore, WebhookStore } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import { faultyProcesses, NOTHING_CLAIMED } from './faulty-deliveries.ts';
import { faultyDeliveries, faultyStorage } from './faulty-storage.ts';
import type { Reference } from './reference.ts';

/** Limits the attempts in flight of each process, but not of all processes together. */
export const capsOfEachProcess: StorageHarness = faultyProcesses(({ deliveries }) => {
  let inFlight = 0;
  const claim: DeliveryStore['claim'] = async (request) => {
    const { maxInFlightPerWebhook, maxInFlightPerAccount } = request;
    const maxInFlight = Math.min(maxInFlightPerWebhook, maxInFlightPerAccount);
    const limit = Math.min(request.limit, maxInFlight - inFlight);
    if (limit <= 0) return NOTHING_CLAIMED;
    const ample = { maxInFlightPerWebhook: 1_000, maxInFlightPerAccount: 1_000 };
    const claimed = await deliveries.claim({ ...request, limit, ...ample });
    inFlight += claimed.attempts.length;
    return claimed;
  };
  return { deliveries: { ...deliveries, claim } };
});

/** `extraPermits()` is added to both caps of each claim. The methods of the stores count for it. */
interface CapsFault {
  readonly extraPermits: () => number;
  readonly webhooks?: Partial<WebhookStore>;
  readonly deliveries?: Partial<DeliveryStore>;
}

/** Claims nothing if the fault leaves no permit. */
export function faultyCaps(change: (reference: Reference) => CapsFault): StorageHarness {
  return faultyStorage((reference) => {
    const { extraPermits, ...methods } = change(reference);
    const deliveries = { ...reference.deliveries, ...methods.deliveries };
    const claim: DeliveryStore['claim'] = async (request) => {
      const maxInFlightPerWebhook = request.maxInFlightPerWebhook + extraPermits();
      const maxInFlightPerAccount = request.maxInFlightPerAccount + extraPermits();
      if (Math.min(maxInFlightPerWebhook, maxInFlightPerAccount) <= 0) return NOTHING_CLAIMED;
      return deliveries.claim({ ...request, maxInFlightPerWebhook, maxInFlightPerAccount });
    };
    return {
      webhooks: { ...reference.webhooks, ...methods.webhooks },
      deliveries: { ...deliveries, claim },
    };
  });
}

export const ignoresCaps: StorageHarness = faultyCaps(() => ({ extraPermits: () => 1_000 }));

/** Fills the capacity of an account in the given order instead of by waiting time. */
export function capacityBy(
  order: (a: ClaimedAttempt, b: ClaimedAttempt) => number,
): StorageHarness {
  return faultyDeliveries((deliveries) => {
    const waiting: ClaimedAttempt[] = [];
    let inFlight = 0;
    return {
      claim: async (request) => {
        const ample = { limit: 1_000, maxInFlightPerAccount: 1_000 };
        const claim = await deliveries.claim({ ...request, ...ample });
        waiting.push(...claim.attempts);
        waiting.sort(order);
        const attempts = waiting.splice(0, request.maxInFlightPerAccount - inFlight);
        inFlight += attempts.length;
        return { ...claim, attempts, nextInMs: 1 };
      },
      complete: (ends, limits) => {
        inFlight -= ends.length;
        return deliveries.complete(ends, limits);
      },
    };
  });
}
