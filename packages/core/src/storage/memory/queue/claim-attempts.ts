import { loseAttempt } from '../../decisions/end-of-attempt.ts';
import { nextStart, startsAllowed } from '../../decisions/queue-state.ts';
import { addStarts } from '../../decisions/start-window.ts';
import { signingSecrets } from '../../decisions/webhook-changes.ts';
import type { DeliveryRef } from '../../delivery-record.ts';
import type { Claim, ClaimedAttempt, ClaimRequest } from '../../delivery-store.ts';
import type { WebhookRecord } from '../../webhook-store.ts';
import type { QueueStates } from './queue-states.ts';
import type { QueuedDelivery, WebhookQueue } from './webhook-queue.ts';

/** Returns the record of a webhook; `undefined`: it was removed. */
export type FindWebhook = (queue: WebhookQueue) => WebhookRecord | undefined;

/** Leases attempts that may start now, from the webhooks that have waited longest. */
export function claimAttempts(
  states: QueueStates,
  findWebhook: FindWebhook,
  request: ClaimRequest,
  nowMs: number,
): Claim {
  const poisoned = recoverStalled(states, request, nowMs);
  const attempts: ClaimedAttempt[] = [];
  // Each once: what is put back at once waits for the next call.
  const looked: Looked[] = [];
  while (attempts.length < request.limit) {
    const queue = states.due.first;
    if (queue === undefined || queue.atMs > nowMs) break;
    const sinceMs = queue.place?.atMs ?? queue.atMs;
    states.notDue(queue);
    const look = { queue, sinceMs };
    looked.push(look);
    const webhook = findWebhook(queue);
    if (webhook !== undefined) {
      const limit = request.limit - attempts.length;
      const taken = claimOf(states, { queue, webhook }, { ...request, limit }, nowMs);
      attempts.push(...taken);
      if (taken.length > 0) look.sinceMs = nowMs;
    }
  }
  for (const look of looked) putBack(states, look, findWebhook(look.queue), request, nowMs);
  for (const { queue } of looked) {
    // It has left room to the next in line.
    if (accountCapacity(states, queue, request) > 0) states.unblockCapped(queue.accountId);
  }
  return { attempts, poisoned, nextInMs: nextInMs(states, nowMs) };
}

function nextInMs({ due, leases }: QueueStates, nowMs: number): number | null {
  const nextAtMs = Math.min(due.first?.atMs ?? Infinity, leases.first?.atMs ?? Infinity);
  return nextAtMs === Infinity ? null : Math.max(0, nextAtMs - nowMs);
}

interface Looked {
  readonly queue: WebhookQueue;
  /** Since when it has been waiting to start something, ms. */
  sinceMs: number;
}

function claimOf(
  states: QueueStates,
  { queue, webhook }: { readonly queue: WebhookQueue; readonly webhook: WebhookRecord },
  request: ClaimRequest,
  nowMs: number,
): readonly ClaimedAttempt[] {
  const capacity = Math.min(request.limit, accountCapacity(states, queue, request));
  const allowed = startsAllowed(queue, webhook, { ...request, capacity }, nowMs);
  const attempts: ClaimedAttempt[] = [];
  while (attempts.length < allowed) {
    const delivery = queue.takeHead(nowMs);
    if (delivery === undefined) break;
    attempts.push(lease(states, delivery, webhook, request, nowMs));
  }
  if (attempts.length > 0) {
    const beginByMs = nowMs + request.rateMarginMs;
    queue.starts = addStarts(queue.starts, [beginByMs, attempts.length], webhook, nowMs);
  }
  return attempts;
}

function accountCapacity(
  states: QueueStates,
  { accountId }: WebhookQueue,
  { maxInFlightPerAccount }: ClaimRequest,
): number {
  return maxInFlightPerAccount - states.inFlightOf(accountId);
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
  { queue, sinceMs }: Looked,
  webhook: WebhookRecord | undefined,
  request: ClaimRequest,
  nowMs: number,
): void {
  if (webhook === undefined) return;
  const nextRetryAtMs = queue.retries.first?.atMs ?? null;
  const heads = { hasHead: queue.hasHead(nowMs), nextRetryAtMs, sinceMs };
  const { dueAtMs, isCapped } = nextStart(queue, webhook, heads, request, nowMs);
  queue.isCapped = isCapped;
  if (dueAtMs === null) return;
  const isAccountFull = dueAtMs <= nowMs && accountCapacity(states, queue, request) <= 0;
  if (isAccountFull) states.cap(queue, sinceMs);
  // Until an attempt of the account ends, which its lease does at the latest.
  states.dueAt(queue, isAccountFull ? nowMs + request.leaseMs : dueAtMs);
}

/** Takes back the leases that are over. Answers the deliveries that this gives up. */
function recoverStalled(states: QueueStates, request: ClaimRequest, nowMs: number): DeliveryRef[] {
  const poisoned: DeliveryRef[] = [];
  for (let { first } = states.leases; first && first.atMs <= nowMs; first = states.leases.first) {
    const { delivery, attempt, claimedAtMs, leaseMs } = first;
    states.ended(first, nowMs);
    const lost = { attempt, startedAtMs: claimedAtMs };
    const limits = { leaseMs, maxStalledAttempts: request.maxStalledAttempts };
    const { progress, delayMs } = loseAttempt(delivery.progress, lost, limits);
    delivery.progress = progress;
    if (delayMs === null) poisoned.push(delivery.ref);
    else states.retryAt(delivery, nowMs + delayMs);
  }
  return poisoned;
}
