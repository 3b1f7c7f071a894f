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
import { newMessage, POLICY } from '../samples/webhook-samples.ts';

/** Limits that only claims about them reach. */
export const CLAIM: ClaimRequest = {
  limit: 100,
  leaseMs: POLICY.leaseMs,
  rateMarginMs: POLICY.rateMarginMs,
  maxInFlightPerWebhook: 100,
  maxInFlightPerAccount: 1_000,
  maxStalledAttempts: POLICY.maxStalledAttempts,
};

export const COMPLETE: CompleteLimits = { disableAfterMs: POLICY.disableAfterMs };

/** Publishes a message; that has to succeed. */
export async function publishOne(
  deliveries: DeliveryStore,
  messageId: string,
  change: Partial<NewMessage> = {},
): Promise<Extract<PublishedMessage, { readonly outcome: 'published' | 'duplicate' }>> {
  const answer = await deliveries.publish(newMessage(messageId, change));
  if (answer.outcome === 'published') return answer;
  assert.fail(`expected the message to be published, not ${answer.outcome}`);
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

/** Claims; there has to be exactly one. */
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
 * Claims needlessly; nothing becomes due for a second. A store may ask to look for a lease that was completed since.
 */
export async function assertNothingDue(deliveries: DeliveryStore): Promise<void> {
  const { attempts, poisoned, nextInMs } = await claimOnce(deliveries);
  assert.deepEqual({ attempts, poisoned }, { attempts: [], poisoned: [] });
  assert.ok(nextInMs === null || nextInMs >= 1_000, 'said to claim again for nothing');
}

/** The names of deliveries, in their order. */
export function names(attempts: readonly { readonly deliveryId: string }[]): readonly string[] {
  return attempts.map(({ deliveryId }) => deliveryId);
}

/** How an attempt ended, for {@link DeliveryStore.complete}. */
export function ended(
  attempt: ClaimedAttempt,
  outcome: AttemptOutcome,
  { backoffMs = 0 }: { readonly backoffMs?: number } = {},
): AttemptEnd {
  const isGood = outcome.kind === 'delivered';
  const result = { status: isGood ? 200 : 500, durationMs: 120, error: isGood ? null : 'status' };
  return { ...refOf(attempt), outcome, result, backoffMs, url: attempt.webhook.url };
}

export function notStarted(attempt: ClaimedAttempt): AttemptEnd {
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
    ...{ accountId, webhookId, deliveryId, attempt: attempt.attempt },
    ...{ sequence, claimedAtMs, createdAtMs, expiresAtMs, event },
  };
}

/** Completes attempts, all in the same way; none may be stale. Answers the first. */
export async function complete(
  deliveries: DeliveryStore,
  attempts: readonly ClaimedAttempt[],
  outcome: AttemptOutcome,
  options: { readonly backoffMs?: number } = {},
): Promise<Extract<CompletedAttempt, { readonly outcome: 'completed' }>> {
  const ends = attempts.map((attempt) => ended(attempt, outcome, options));
  const answers = await deliveries.complete(ends, COMPLETE);
  for (const answer of answers) assert.equal(answer.outcome, 'completed');
  const [first] = answers;
  return first?.outcome === 'completed' ? first : assert.fail('nothing was completed');
}

/** The newest deliveries of a webhook, which has to exist. */
export async function listed(
  deliveries: DeliveryStore,
  ref: WebhookRef,
  limit = 100,
): Promise<readonly ListedDelivery[]> {
  return (await deliveries.list(ref, { limit, after: null })) ?? assert.fail('unknown webhook');
}

/** The one delivery of a webhook. */
export async function onlyListed(
  deliveries: DeliveryStore,
  ref: WebhookRef,
): Promise<ListedDelivery> {
  const all = await listed(deliveries, ref);
  assert.equal(all.length, 1);
  return all[0] ?? assert.fail();
}

export const DELIVERED: AttemptOutcome = { kind: 'delivered' };
export const EXHAUSTED: AttemptOutcome = { kind: 'failed', reason: 'exhausted' };
export const GONE: AttemptOutcome = { kind: 'failed', reason: 'gone' };
export function retryIn(delayMs: number): AttemptOutcome {
  return { kind: 'retry', delayMs };
}
