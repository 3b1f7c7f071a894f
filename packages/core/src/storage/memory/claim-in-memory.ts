import { endStalledAttempt } from '../decisions/end-of-attempt.ts';
import {
  isRetryNext,
  queueWithNextStart,
  queueWithStarts,
  startsAllowed,
} from '../decisions/queue-state.ts';
import { claimedAttempt, isAwaitingRetry, refOf } from '../decisions/queued-delivery.ts';
import type { DeliveryRef } from '../delivery-record.ts';
import type { Claim, ClaimedAttempt, ClaimRequest } from '../delivery-store.ts';
import { leaseOf, type MemoryQueues } from './memory-queues.ts';
import type { MemoryDelivery, MemoryWebhook } from './memory-records.ts';

/** The time of a claim, ms: by the clock of the storage, and by the wall clock, which receivers compare with theirs. */
interface ClaimTime {
  readonly nowMs: number;
  readonly wallClockMs: number;
}

/** Leases attempts that may start now, from the webhooks that have waited longest first. */
export function claimInMemory(queues: MemoryQueues, request: ClaimRequest, time: ClaimTime): Claim {
  const { nowMs } = time;
  const poisoned = recoverStalled(queues, request, nowMs);
  const attempts: ClaimedAttempt[] = [];
  // Each webhook is claimed from once. If it is immediately due again, it waits for the next call.
  for (const webhook of queues.webhooksDue(nowMs, request.limit)) {
    if (attempts.length >= request.limit) break;
    claimFrom(queues, webhook, request, time, attempts);
  }
  const nextAtMs = queues.nextAtMs();
  const nextInMs = nextAtMs === null ? null : Math.max(0, nextAtMs - nowMs);
  return { attempts, poisoned, nextInMs };
}

/** Recovers expired leases. Returns the deliveries that fail as `poison`. */
function recoverStalled(
  queues: MemoryQueues,
  { maxStalledAttempts }: ClaimRequest,
  nowMs: number,
): readonly DeliveryRef[] {
  const poisoned: DeliveryRef[] = [];
  let stalled = queues.firstStalled(nowMs);
  for (; stalled !== null; stalled = queues.firstStalled(nowMs)) {
    const { attempt, claimedAtMs, leaseMs } = leaseOf(stalled);
    queues.endLease(stalled, nowMs);
    if (nowMs >= stalled.expiresAtMs) {
      queues.deleteDelivery(stalled);
      continue;
    }
    const stalledAttempt = { attempt, startedAtMs: claimedAtMs };
    const limits = { leaseMs, maxStalledAttempts };
    const progress = endStalledAttempt(stalled.progress, stalledAttempt, limits);
    if (progress.state === 'failed') {
      queues.end(stalled, progress);
      poisoned.push(refOf(stalled));
    } else {
      stalled.progress = progress;
      queues.scheduleRetry(stalled, null, nowMs);
    }
  }
  return poisoned;
}

/** Leases attempts of a webhook, and adds them to `attempts`. */
function claimFrom(
  queues: MemoryQueues,
  webhook: MemoryWebhook,
  request: ClaimRequest,
  time: ClaimTime,
  attempts: ClaimedAttempt[],
): void {
  const { nowMs } = time;
  const { account, record, queue: before } = webhook;
  const permits = request.maxInFlightPerAccount - account.inFlight;
  const capacity = Math.min(request.limit - attempts.length, permits);
  if (capacity > 0) {
    const allowed = startsAllowed(before, record, { capacity, ...request }, nowMs);
    let count = 0;
    while (count < allowed) {
      const delivery = takeNext(queues, webhook, nowMs);
      if (delivery === null) break;
      attempts.push(lease(queues, delivery, request.leaseMs, time));
      count += 1;
    }
    const starts = { count, beginByMs: nowMs + request.rateMarginMs };
    account.inFlight += count;
    const started = queueWithStarts(webhook.queue, record, starts, nowMs);
    // A webhook that has started an attempt waits from now on, so that others are next.
    const sinceMs = count > 0 ? nowMs : (before.dueAtMs ?? nowMs);
    const heads = { sinceMs, ...headOf(webhook, nowMs) };
    queues.setQueue(webhook, queueWithNextStart(started, record, heads, request, nowMs));
  }
  queues.setCapped(account, account.inFlight >= request.maxInFlightPerAccount);
}

/** Takes the next delivery: first a returned one; then alternately due retries and first attempts. */
function takeNext(
  queues: MemoryQueues,
  webhook: MemoryWebhook,
  nowMs: number,
): MemoryDelivery | null {
  const fresh = freshHead(webhook);
  const retry = webhook.retries.first?.delivery;
  const isReturned = retry !== undefined && isReturnedDelivery(retry);
  const isNext = isRetryNext(webhook.queue, fresh !== undefined);
  if (retry !== undefined && (isReturned || (isNext && !isAwaitingRetry(retry, nowMs)))) {
    queues.unscheduleRetry(retry);
    if (!isReturned) queues.setQueue(webhook, { ...webhook.queue, wasRetryLast: true });
    return retry;
  }
  if (fresh === undefined) return null;
  if (webhook.queue.wasRetryLast)
    queues.setQueue(webhook, { ...webhook.queue, wasRetryLast: false });
  queues.setLastTaken(webhook, fresh.sequence);
  return fresh;
}

/** The oldest delivery that waits for its first attempt. */
function freshHead({ queue, bySequence }: MemoryWebhook): MemoryDelivery | undefined {
  return bySequence.get(queue.lastTaken + 1);
}

/** What a claim has left at the head of a queue. */
function headOf(webhook: MemoryWebhook, nowMs: number) {
  if (freshHead(webhook) !== undefined) return { hasHead: true, nextRetryAtMs: null };
  const retry = webhook.retries.first;
  if (retry === undefined) return { hasHead: false, nextRetryAtMs: null };
  return { hasHead: retry.sortKey <= nowMs, nextRetryAtMs: retry.sortKey };
}

function isReturnedDelivery({ wait }: MemoryDelivery): boolean {
  return wait?.for === 'retry' && wait.atMs === null;
}

function lease(
  queues: MemoryQueues,
  delivery: MemoryDelivery,
  leaseMs: number,
  { nowMs, wallClockMs: claimedAtMs }: ClaimTime,
): ClaimedAttempt {
  const attempt = delivery.progress.attempt + 1;
  const newLease = { attempt, claimedAtMs, leaseMs, endsAtMs: nowMs + leaseMs };
  queues.lease(delivery, newLease);
  const { message, webhook } = delivery;
  return claimedAttempt(delivery, newLease, { body: message.body, webhook: webhook.record, nowMs });
}
