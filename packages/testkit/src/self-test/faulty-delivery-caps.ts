import type { ClaimedAttempt, DeliveryStore } from '@latchhook/core/storage';
import type { WebhookStores } from '../fixtures/webhook-connection.ts';
import type { WebhookHarness } from '../fixtures/webhook-fixture.ts';
import { faultyProcesses, NOTHING_CLAIMED } from './faulty-deliveries.ts';
import { faultyDeliveries, faultyStores, type ReferenceStores } from './faulty-webhooks.ts';

/** Limits the attempts in flight of each process, but not of all processes together. */
export const capsOfEachProcess: WebhookHarness = faultyProcesses(({ webhooks, deliveries }) => {
  let inFlight = 0;
  return {
    webhooks,
    deliveries: {
      ...deliveries,
      claim: async (request) => {
        const { maxInFlightPerWebhook, maxInFlightPerAccount } = request;
        const maxInFlight = Math.min(maxInFlightPerWebhook, maxInFlightPerAccount);
        const limit = Math.min(request.limit, maxInFlight - inFlight);
        if (limit <= 0) return NOTHING_CLAIMED;
        const claim = await deliveries.claim({
          ...request,
          limit,
          maxInFlightPerWebhook: 1_000,
          maxInFlightPerAccount: 1_000,
        });
        inFlight += claim.attempts.length;
        return claim;
      },
    },
  };
});

/** Adds `more()` to both caps of each claim. Claims nothing if the result is 0 or less. */
export function faultyCaps(
  change: (reference: ReferenceStores) => {
    readonly stores?: WebhookStores;
    readonly more: () => number;
  },
): WebhookHarness {
  return faultyStores((reference) => {
    const { stores = reference, more } = change(reference);
    const claim: DeliveryStore['claim'] = async (request) => {
      const maxInFlightPerWebhook = request.maxInFlightPerWebhook + more();
      const maxInFlightPerAccount = request.maxInFlightPerAccount + more();
      if (Math.min(maxInFlightPerWebhook, maxInFlightPerAccount) <= 0) return NOTHING_CLAIMED;
      return stores.deliveries.claim({ ...request, maxInFlightPerWebhook, maxInFlightPerAccount });
    };
    return { webhooks: stores.webhooks, deliveries: { ...stores.deliveries, claim } };
  });
}

export const ignoresCaps: WebhookHarness = faultyCaps(() => ({ more: () => 1_000 }));

/** Fills the capacity of an account in the given order instead of by waiting time. */
export function capacityBy(
  order: (a: ClaimedAttempt, b: ClaimedAttempt) => number,
): WebhookHarness {
  return faultyDeliveries(({ deliveries }) => {
    const waiting: ClaimedAttempt[] = [];
    let inFlight = 0;
    return {
      claim: async (request) => {
        const claim = await deliveries.claim({
          ...request,
          limit: 1_000,
          maxInFlightPerAccount: 1_000,
        });
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
