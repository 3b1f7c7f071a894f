import type {
  AttemptEnd,
  AttemptOutcome,
  Claim,
  ClaimedAttempt,
  ClaimRequest,
  CompletedAttempt,
  CompleteLimits,
  DeliveryStore,
} from '@latchhook/core/storage';
import { DAY_MS } from '../support/storage/webhook-samples.ts';

/** Limits that only tests about them reach. */
export const CLAIM: ClaimRequest = {
  limit: 100,
  leaseMs: 20_000,
  rateMarginMs: 0,
  maxInFlightPerWebhook: 1_000,
  maxInFlightPerAccount: 1_000,
  maxStalledAttempts: 5,
};

export const COMPLETE: CompleteLimits = { disableAfterMs: 5 * DAY_MS };

export const DELIVERED: AttemptOutcome = { kind: 'delivered' };
export const EXHAUSTED: AttemptOutcome = { kind: 'failed', reason: 'exhausted' };
export const GONE: AttemptOutcome = { kind: 'failed', reason: 'gone' };

export function retryIn(delayMs: number): AttemptOutcome {
  return { kind: 'retry', delayMs };
}

export function claimOnce(
  deliveries: DeliveryStore,
  change: Partial<ClaimRequest> = {},
): Promise<Claim> {
  return Promise.resolve(deliveries.claim({ ...CLAIM, ...change }));
}

/** Claims until nothing more may start now, as a worker does. */
export async function claimAll(
  deliveries: DeliveryStore,
  change: Partial<ClaimRequest> = {},
): Promise<readonly ClaimedAttempt[]> {
  const all: ClaimedAttempt[] = [];
  for (;;) {
    const { attempts, nextInMs } = await claimOnce(deliveries, change);
    all.push(...attempts);
    if (nextInMs !== 0) return all;
  }
}

export function idsOf(attempts: readonly { readonly deliveryId: string }[]): readonly string[] {
  return attempts.map(({ deliveryId }) => deliveryId);
}

/** How an attempt ended. */
export function endOf(attempt: ClaimedAttempt, outcome: AttemptOutcome, backoffMs = 0): AttemptEnd {
  const isGood = outcome.kind === 'delivered';
  const result = { status: isGood ? 200 : 500, durationMs: 12, error: isGood ? null : 'status' };
  return { ...attempt, outcome, result, backoffMs, url: attempt.webhook.url };
}

export function notStarted(attempt: ClaimedAttempt): AttemptEnd {
  return { ...attempt, outcome: { kind: 'not_started' } };
}

/** Ends attempts, all in the same way. */
export async function completeAll(
  deliveries: DeliveryStore,
  attempts: readonly ClaimedAttempt[],
  outcome: AttemptOutcome,
  backoffMs = 0,
): Promise<readonly CompletedAttempt[]> {
  const ends = attempts.map((attempt) => endOf(attempt, outcome, backoffMs));
  return deliveries.complete(ends, COMPLETE);
}
