import assert from 'node:assert/strict';
import type {
  AttemptEnd,
  AttemptOutcome,
  Claim,
  ClaimedAttempt,
  ClaimRequest,
  CompletedAttempt,
  CompleteLimits,
  DeliveryStore,
  ListedDelivery,
  NewMessage,
  PublishedMessage,
  WebhookRef,
} from '@latchhook/core/storage';
import { newMessage, POLICY, SECOND_MS } from '../samples/webhook-samples.ts';

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

/** Publishes a message, which must succeed. */
export async function publishOne(
  deliveries: DeliveryStore,
  messageId: string,
  change: Partial<NewMessage> = {},
): Promise<Extract<PublishedMessage, { readonly outcome: 'published' | 'duplicate' }>> {
  const published = await deliveries.publish(newMessage(messageId, change));
  if (published.outcome === 'published') return published;
  assert.fail(`expected the message to be published, not ${published.outcome}`);
}

/** Publishes `m1` to `m<count>`, in this order. */
export async function publishAll(
  deliveries: DeliveryStore,
  count: number,
  change: Partial<NewMessage> = {},
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, i) => `m${i + 1}`);
  for (const id of ids) await publishOne(deliveries, id, change);
  return ids;
}

export async function claimOnce(
  deliveries: DeliveryStore,
  change: Partial<ClaimRequest> = {},
): Promise<Claim> {
  return deliveries.claim({ ...CLAIM, ...change });
}

/** Claims as a worker does, until no more attempts may begin now. */
export async function claimAll(
  deliveries: DeliveryStore,
  change: Partial<ClaimRequest> = {},
): Promise<readonly ClaimedAttempt[]> {
  const claimed: ClaimedAttempt[] = [];
  for (;;) {
    const { attempts, nextInMs } = await claimOnce(deliveries, change);
    claimed.push(...attempts);
    if (nextInMs !== 0) return claimed;
  }
}

/** Claims all attempts, and asserts that there is exactly one. */
export async function claimSingle(
  deliveries: DeliveryStore,
  change: Partial<ClaimRequest> = {},
): Promise<ClaimedAttempt> {
  const attempts = await claimAll(deliveries, change);
  assert.equal(attempts.length, 1, `expected one attempt, not ${attempts.length}`);
  const [attempt] = attempts;
  return attempt ?? assert.fail();
}

/**
 * Asserts that nothing is due for a second. A later `nextInMs` is allowed: it may be the end of a lease that has been
 * completed.
 */
export async function assertNothingDue(deliveries: DeliveryStore): Promise<void> {
  const { attempts, poisoned, nextInMs } = await claimOnce(deliveries);
  assert.deepEqual({ attempts, poisoned }, { attempts: [], poisoned: [] });
  assert.ok(
    nextInMs === null || nextInMs >= SECOND_MS,
    'returns a nextInMs at which nothing is due',
  );
}

/** The ids of deliveries or attempts, in the same order. */
export function deliveryIds(
  attempts: readonly { readonly deliveryId: string }[],
): readonly string[] {
  return attempts.map(({ deliveryId }) => deliveryId);
}

export const RESPONDED_200 = { status: 200, durationMs: 120, error: null } as const;
export const RESPONDED_500 = { status: 500, durationMs: 120, error: 'status' } as const;

/** How an attempt ended, for {@link DeliveryStore.complete}. */
export function attemptEnd(
  attempt: ClaimedAttempt,
  outcome: AttemptOutcome,
  { backoffMs = 0 }: { readonly backoffMs?: number } = {},
): AttemptEnd {
  const isDelivered = outcome.kind === 'delivered';
  const result = isDelivered ? RESPONDED_200 : RESPONDED_500;
  return { ...refOf(attempt), outcome, result, backoffMs, url: attempt.webhook.url };
}

export function notStartedEnd(attempt: ClaimedAttempt): AttemptEnd {
  return { ...refOf(attempt), outcome: { kind: 'not_started' } };
}

function refOf(attempt: ClaimedAttempt) {
  const {
    accountId,
    webhookId,
    deliveryId,
    sequence,
    claimedAtMs,
    createdAtMs,
    expiresAtMs,
    event,
  } = attempt;
  return {
    accountId,
    webhookId,
    deliveryId,
    attempt: attempt.attempt,
    sequence,
    claimedAtMs,
    createdAtMs,
    expiresAtMs,
    event,
  };
}

/** Completes attempts with the same outcome. None may be stale. Returns the result of the first. */
export async function completeAttempts(
  deliveries: DeliveryStore,
  attempts: readonly ClaimedAttempt[],
  outcome: AttemptOutcome,
  options: { readonly backoffMs?: number } = {},
): Promise<Extract<CompletedAttempt, { readonly outcome: 'completed' }>> {
  const ends = attempts.map((attempt) => attemptEnd(attempt, outcome, options));
  const results = await deliveries.complete(ends, COMPLETE);
  for (const { outcome: completion } of results) assert.equal(completion, 'completed');
  const [first] = results;
  return first?.outcome === 'completed' ? first : assert.fail('nothing was completed');
}

/** Lists the newest deliveries of a webhook, which must exist. */
export async function listDeliveries(
  deliveries: DeliveryStore,
  ref: WebhookRef,
  limit = 100,
): Promise<readonly ListedDelivery[]> {
  return (await deliveries.list(ref, { limit, after: null })) ?? assert.fail('unknown webhook');
}

/** Finds the delivery of a webhook that has exactly one. */
export async function onlyDelivery(
  deliveries: DeliveryStore,
  ref: WebhookRef,
): Promise<ListedDelivery> {
  const [delivery, ...others] = await listDeliveries(deliveries, ref);
  assert.equal(others.length, 0);
  return delivery ?? assert.fail('the webhook has no delivery');
}

export const DELIVERED: AttemptOutcome = { kind: 'delivered' };
export const EXHAUSTED: AttemptOutcome = { kind: 'failed', reason: 'exhausted' };
export const GONE: AttemptOutcome = { kind: 'failed', reason: 'gone' };
export function retryIn(delayMs: number): AttemptOutcome {
  return { kind: 'retry', delayMs };
}
