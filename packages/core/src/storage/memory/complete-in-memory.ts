import {
  adjustToCurrentUrl,
  disabledBy,
  endAttempt,
  type SentAttempt,
} from '../decisions/end-of-attempt.ts';
import { queueAfterResult, queueNotDue } from '../decisions/queue-state.ts';
import type { AttemptEnd, CompletedAttempt, CompleteLimits } from '../delivery-store.ts';
import type { MemoryQueues } from './memory-queues.ts';
import type { MemoryDelivery } from './memory-records.ts';

/** Completes one attempt. Its lease is the fencing token: a worker whose lease has ended changes nothing. */
export function completeInMemory(
  queues: MemoryQueues,
  end: AttemptEnd,
  limits: CompleteLimits,
  nowMs: number,
): CompletedAttempt {
  const delivery = queues.accounts.delivery(end, nowMs);
  if (delivery?.wait?.for !== 'end_of_attempt') return { outcome: 'stale' };
  const { attempt, claimedAtMs } = delivery.wait.lease;
  const isCurrent =
    attempt === end.attempt &&
    claimedAtMs === end.claimedAtMs &&
    delivery.createdAtMs === end.createdAtMs;
  if (!isCurrent) return { outcome: 'stale' };
  if ('result' in end) return applyResult(queues, delivery, end, limits, nowMs);
  // The worker has returned it unsent: it is the next of its webhook, and has used up no attempt.
  queues.endLease(delivery, nowMs);
  queues.scheduleRetry(delivery, null, nowMs);
  return { outcome: 'completed', disabled: null };
}

/** Applies the result of an attempt to its delivery and webhook. Decides everything before it changes anything. */
function applyResult(
  queues: MemoryQueues,
  delivery: MemoryDelivery,
  end: SentAttempt,
  limits: CompleteLimits,
  nowMs: number,
): CompletedAttempt {
  const { webhook, createdAtMs } = delivery;
  const { isMoved, adjusted } = adjustToCurrentUrl(end, webhook.record.url);
  const { attempt, claimedAtMs, outcome, backoffMs, result } = adjusted;
  const { status, durationMs, error } = result;
  const ended = { attempt, startedAtMs: claimedAtMs, status, durationMs, error };
  const { progress, delayMs } = endAttempt(delivery.progress, ended, outcome);
  const isFailure = outcome.kind === 'retry' || outcome.kind === 'failed';
  const { failingSinceMs } = webhook.queue;
  const disabled =
    isFailure && webhook.record.disabledAtMs === null
      ? disabledBy({ failingSinceMs, createdAtMs, outcome, ...limits }, nowMs)
      : null;

  queues.endLease(delivery, nowMs);
  if (delayMs === null) queues.end(delivery, progress);
  else {
    delivery.progress = progress;
    queues.scheduleRetry(delivery, nowMs + delayMs, nowMs);
  }
  queues.setQueue(webhook, queueAfterResult(webhook.queue, outcome.kind, backoffMs, nowMs));
  if (disabled !== null) {
    webhook.record = { ...webhook.record, disabledAtMs: nowMs, disabledReason: disabled };
    queues.setQueue(webhook, queueNotDue(webhook.queue));
  }
  return isMoved ? { outcome: 'moved' } : { outcome: 'completed', disabled };
}
