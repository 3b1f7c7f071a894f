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

/** With limits so high that they never apply. */
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

/** Claims until no attempt may start now, like a worker. */
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

/** The end of an attempt, as `complete` accepts it. */
export function endOf(attempt: ClaimedAttempt, outcome: AttemptOutcome, backoffMs = 0): AttemptEnd {
  const isGood = outcome.kind === 'delivered';
  const result = { status: isGood ? 200 : 500, durationMs: 12, error: isGood ? null : 'status' };
  return { ...attempt, outcome, result, backoffMs, url: attempt.webhook.url };
}

export function notStarted(attempt: ClaimedAttempt): AttemptEnd {
  return { ...attempt, outcome: { kind: 'not_started' } };
}

/** Completes all attempts with the same outcome. */
export async function completeAll(
  deliveries: DeliveryStore,
  attempts: readonly ClaimedAttempt[],
  outcome: AttemptOutcome,
  backoffMs = 0,
): Promise<readonly CompletedAttempt[]> {
  const ends = attempts.map((attempt) => endOf(attempt, outcome, backoffMs));
  return deliveries.complete(ends, COMPLETE);
}
