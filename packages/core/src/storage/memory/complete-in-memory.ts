import { adjustToCurrentUrl, disabledBy, endAttempt } from '../decisions/end-of-attempt.ts';
import { queueAfterResult, queueNotDue } from '../decisions/queue-state.ts';
import type { AttemptEnd, CompletedAttempt, CompleteLimits } from '../delivery-store.ts';
import type { MemoryQueues } from './memory-queues.ts';

/** Completes one attempt. Its lease is the fencing token: a worker whose lease has ended changes nothing. */
export function completeInMemory(
  queues: MemoryQueues,
  end: AttemptEnd,
  limits: CompleteLimits,
  nowMs: number,
): CompletedAttempt {
  const delivery = queues.delivery(end, nowMs);
  if (delivery?.wait?.for !== 'end_of_attempt') return { outcome: 'stale' };
  const { attempt, claimedAtMs } = delivery.wait.lease;
  if (attempt !== end.attempt || claimedAtMs !== end.claimedAtMs) return { outcome: 'stale' };
  const { webhook, createdAtMs } = delivery;
  const { failingSinceMs } = webhook.queue;
  queues.endLease(delivery, nowMs);
  if (!('result' in end)) {
    queues.scheduleRetry(delivery, null, nowMs);
    return { outcome: 'completed', disabled: null };
  }
  const { isMoved, adjusted } = adjustToCurrentUrl(end, webhook.record.url);
  const { outcome, backoffMs, result } = adjusted;
  const { status, durationMs, error } = result;
  const ended = { attempt, startedAtMs: claimedAtMs, status, durationMs, error };
  const { progress, delayMs } = endAttempt(delivery.progress, ended, outcome);
  delivery.progress = progress;
  if (delayMs !== null) queues.scheduleRetry(delivery, nowMs + delayMs, nowMs);
  else if (progress.state === 'delivered') queues.keepDelivered(delivery);
  queues.setQueue(webhook, queueAfterResult(webhook.queue, outcome.kind, backoffMs, nowMs));
  if (isMoved) return { outcome: 'moved' };
  const isFailure = outcome.kind === 'retry' || outcome.kind === 'failed';
  if (!isFailure || webhook.record.disabledAtMs !== null)
    return { outcome: 'completed', disabled: null };
  const disabled = disabledBy({ failingSinceMs, createdAtMs, outcome, ...limits }, nowMs);
  if (disabled !== null) {
    webhook.record = { ...webhook.record, disabledAtMs: nowMs, disabledReason: disabled };
    queues.setQueue(webhook, queueNotDue(webhook.queue));
  }
  return { outcome: 'completed', disabled };
}
