import type { Claim, ClaimedAttempt, ClaimRequest } from '../../claim-store.ts';
import { loseAttempt } from '../../decisions/end-of-attempt.ts';
import type { DeliveryRef } from '../../delivery-record.ts';
import { RATE_LIMIT_PERIOD_MS, type WebhookRecord } from '../../webhook-store.ts';
import { signingSecrets } from '../signing-secrets.ts';
import type { QueueStates } from './queue-states.ts';
import type { QueuedDelivery, WebhookQueue } from './webhook-queue.ts';

/** How many attempts of one webhook a claim takes at most, so that a burst to one does not fill it. */
const QUANTUM = 16;

/** Answers the record of a webhook; `undefined`: it was removed. */
export type FindWebhook = (queue: WebhookQueue) => WebhookRecord | undefined;

/** Leases attempts that may start now, from the webhooks that have waited longest. */
export function claimAttempts(
  states: QueueStates,
  findWebhook: FindWebhook,
  request: ClaimRequest,
  nowMs: number,
): Claim {
  const poisoned = recoverLost(states, request, nowMs);
  const attempts: ClaimedAttempt[] = [];
  // Each once: what is put back at once waits for the next call.
  const looked: WebhookQueue[] = [];
  while (attempts.length < request.limit) {
    const queue = states.due.first;
    if (queue === undefined || queue.atMs > nowMs) break;
    states.notDue(queue);
    looked.push(queue);
    const webhook = findWebhook(queue);
    if (webhook !== undefined && webhook.disabledAtMs === null) {
      const limit = request.limit - attempts.length;
      attempts.push(...claimOf(states, { queue, webhook }, { ...request, limit }, nowMs));
    }
  }
  for (const queue of looked) putBack(states, queue, findWebhook(queue), request, nowMs);
  const next = states.due.first;
  return { attempts, poisoned, nextInMs: next ? Math.max(0, next.atMs - nowMs) : null };
}

function claimOf(
  states: QueueStates,
  { queue, webhook }: { readonly queue: WebhookQueue; readonly webhook: WebhookRecord },
  request: ClaimRequest,
  nowMs: number,
): readonly ClaimedAttempt[] {
  const room = Math.min(
    QUANTUM,
    request.limit,
    freePermits(states, queue, request),
    freeStarts(queue, webhook, nowMs),
  );
  const attempts: ClaimedAttempt[] = [];
  while (attempts.length < room && nowMs >= queue.backoffUntilMs) {
    const delivery = queue.takeHead(nowMs);
    if (delivery === undefined) break;
    attempts.push(lease(states, delivery, webhook, request, nowMs));
  }
  if (attempts.length > 0) {
    queue.starts.add({ beginByMs: nowMs + request.rateMarginMs, count: attempts.length });
  }
  return attempts;
}

function freePermits(states: QueueStates, queue: WebhookQueue, request: ClaimRequest): number {
  return Math.min(
    request.maxInFlightPerWebhook - queue.inFlight,
    request.maxInFlightPerAccount - states.inFlightOf(queue.accountId),
  );
}

function freeStarts(queue: WebhookQueue, webhook: WebhookRecord, nowMs: number): number {
  const periodMs = RATE_LIMIT_PERIOD_MS[webhook.rateLimitPeriod];
  return queue.starts.free(webhook.rateLimit, periodMs, nowMs);
}

function lease(
  states: QueueStates,
  delivery: QueuedDelivery,
  { url, secrets }: WebhookRecord,
  { leaseMs }: ClaimRequest,
  nowMs: number,
): ClaimedAttempt {
  const { message, progress, sequence } = delivery;
  const attempt = progress.attempt + 1;
  delivery.waitsFor = 'end_of_attempt';
  const claimedAtMs = states.timeOfDay.nowMs();
  states.begun({
    ...{ delivery, attempt, claimedAtMs, leaseMs },
    ...{ atMs: nowMs + leaseMs, heapIndex: 0 },
  });
  const { createdAtMs, expiresAtMs, body } = message;
  const { failures, notCounted } = progress;
  return {
    ...delivery.ref,
    ...{ attempt, sequence, claimedAtMs, createdAtMs, expiresAtMs, failures, notCounted },
    body,
    webhook: { url, secrets: signingSecrets(secrets, nowMs) },
  };
}

/** Says when a queue can start something next. */
function putBack(
  states: QueueStates,
  queue: WebhookQueue,
  webhook: WebhookRecord | undefined,
  request: ClaimRequest,
  nowMs: number,
): void {
  if (webhook === undefined || webhook.disabledAtMs !== null) return;
  const retry = queue.retries.first;
  if (!queue.hasHead(nowMs)) {
    if (retry !== undefined) states.dueAt(queue, retry.atMs);
  } else if (nowMs < queue.backoffUntilMs) {
    states.dueAt(queue, queue.backoffUntilMs);
  } else if (freeStarts(queue, webhook, nowMs) <= 0) {
    const periodMs = RATE_LIMIT_PERIOD_MS[webhook.rateLimitPeriod];
    states.dueAt(queue, queue.starts.freeAtMs(periodMs) ?? nowMs);
  } else if (freePermits(states, queue, request) <= 0) {
    // Until an attempt ends, which its lease does at the latest.
    queue.isCapped = true;
    if (states.inFlightOf(queue.accountId) >= request.maxInFlightPerAccount) states.cap(queue);
    states.dueAt(queue, nowMs + request.leaseMs);
  } else {
    states.dueAt(queue, nowMs);
  }
}

/** Takes back the leases that are over. Answers the deliveries that this gives up. */
function recoverLost(states: QueueStates, request: ClaimRequest, nowMs: number): DeliveryRef[] {
  const poisoned: DeliveryRef[] = [];
  for (let { first } = states.leases; first && first.atMs <= nowMs; first = states.leases.first) {
    const { delivery, attempt, claimedAtMs, leaseMs } = first;
    states.ended(first, nowMs);
    const lost = { attempt, startedAtMs: claimedAtMs };
    const limits = { leaseMs, maxLostAttempts: request.maxLostAttempts };
    const { progress, delayMs } = loseAttempt(delivery.progress, lost, limits);
    delivery.progress = progress;
    if (delayMs === null) poisoned.push(delivery.ref);
    else states.retryAt(delivery, nowMs + delayMs);
  }
  return poisoned;
}
