import type { ClaimedAttempt, ClaimRequest } from '@latchhook/core/storage';
import type { WebhookStores } from '../fixtures/webhook-fixture.ts';
import { RATE_WINDOW_MS } from '../samples/webhook-samples.ts';
import type { StorageHarness } from '../storage-harness.ts';
import { faultyProcesses, NOTHING_CLAIMED } from './faulty-deliveries.ts';
import { faultyStorage } from './faulty-storage.ts';
import type { Reference } from './reference.ts';

interface CurrentClaim {
  readonly request: ClaimRequest;
  readonly nowMs: number;
}

/** Whether an earlier attempt counts towards the rate of the current claim. */
type IsCounted = (attempt: ClaimedAttempt, claim: CurrentClaim) => boolean;

/** Limits the rate of all webhooks together to `rateLimit`, counting earlier attempts by `isCounted`. */
export function ratesBy(rateLimit: number, isCounted: IsCounted): StorageHarness {
  return faultyStorage((reference) => withRate(reference, rateLimit, isCounted));
}

/** Limits the rate of each process, but not of all processes together. */
export function ratesOfEachProcess(rateLimit: number): StorageHarness {
  return faultyProcesses((reference) =>
    withRate(
      reference,
      rateLimit,
      ({ claimedAtMs }, { nowMs }) => nowMs - claimedAtMs < RATE_WINDOW_MS,
    ),
  );
}

/** Replaces the limits of the webhooks, which it lifts out of reach, by one limit for all webhooks together. */
function withRate(reference: Reference, rateLimit: number, isCounted: IsCounted): WebhookStores {
  const { webhooks, deliveries, clock } = reference;
  const claimed: ClaimedAttempt[] = [];
  return {
    webhooks: {
      ...webhooks,
      create: (webhook, limits) => webhooks.create({ ...webhook, rateLimit: 10_000 }, limits),
    },
    deliveries: {
      ...deliveries,
      claim: async (request) => {
        const current = { request, nowMs: clock.nowMs() };
        const counted = claimed.filter((attempt) => isCounted(attempt, current)).length;
        const limit = Math.min(rateLimit - counted, request.limit);
        if (limit <= 0) return NOTHING_CLAIMED;
        const claim = await deliveries.claim({ ...request, limit });
        claimed.push(...claim.attempts);
        return claim;
      },
    },
  };
}
