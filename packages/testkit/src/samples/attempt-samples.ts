import type {
  AttemptEnd,
  AttemptOutcome,
  ClaimedAttempt,
  ClaimRequest,
  CompleteLimits,
} from '@latchhook/core/storage';
import { POLICY } from './webhook-samples.ts';

/** Limits that only test cases about limits reach. */
export const CLAIM: ClaimRequest = {
  limit: 100,
  leaseMs: POLICY.leaseMs,
  rateMarginMs: POLICY.rateMarginMs,
  maxInFlightPerWebhook: 100,
  maxInFlightPerAccount: 1_000,
  maxStalledAttempts: POLICY.maxStalledAttempts,
};

export const COMPLETE: CompleteLimits = { disableAfterMs: POLICY.disableAfterMs };

export const DELIVERED: AttemptOutcome = { kind: 'delivered' };
export const EXHAUSTED: AttemptOutcome = { kind: 'failed', reason: 'exhausted' };
/** The receiver responded 410, which disables the webhook. */
export const GONE: AttemptOutcome = { kind: 'failed', reason: 'gone' };

export function retryIn(delayMs: number): AttemptOutcome {
  return { kind: 'retry', delayMs };
}

/** Not a failure of the receiver, so that neither the delivery nor the webhook counts it. */
export function notCounted(delayMs: number): AttemptOutcome {
  return { kind: 'not_counted', delayMs };
}

export const RESPONDED_200 = { status: 200, durationMs: 120, error: null } as const;
export const RESPONDED_500 = { status: 500, durationMs: 120, error: 'status' } as const;

/** How an attempt ended, for `DeliveryStore.complete`. */
export function attemptEnd(
  attempt: ClaimedAttempt,
  outcome: AttemptOutcome,
  { backoffMs = 0 }: { readonly backoffMs?: number } = {},
): AttemptEnd {
  const result = outcome.kind === 'delivered' ? RESPONDED_200 : RESPONDED_500;
  return { ...contractMembers(attempt), outcome, result, backoffMs, url: attempt.webhook.url };
}

export function notStartedEnd(attempt: ClaimedAttempt): AttemptEnd {
  return { ...contractMembers(attempt), outcome: { kind: 'not_started' } };
}

/** The members that the contract has: a storage must not rely on others that it added to the claimed attempt. */
function contractMembers(claimed: ClaimedAttempt) {
  const { accountId, webhookId, deliveryId, event, attempt } = claimed;
  const { sequence, claimedAtMs, createdAtMs, expiresAtMs } = claimed;
  const delivery = { accountId, webhookId, deliveryId, event };
  return { ...delivery, attempt, sequence, claimedAtMs, createdAtMs, expiresAtMs };
}
