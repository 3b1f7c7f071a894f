import {
  disabledBy,
  endAttempt,
  endedAt,
  type SentAttempt,
} from '../../decisions/end-of-attempt.ts';
import type { AttemptEnd, CompletedAttempt, CompleteLimits } from '../../delivery-store.ts';
import type { DisabledReason } from '../../webhook-store.ts';
import type { StoredWebhook } from '../stored-webhook.ts';
import type { QueueStates } from './queue-states.ts';
import type { QueuedDelivery } from './webhook-queue.ts';

export interface CompleteContext {
  readonly queues: QueueStates;
  readonly findWebhook: (end: AttemptEnd) => StoredWebhook | undefined;
  readonly limits: CompleteLimits;
  readonly nowMs: number;
}

/** Ends one attempt. Its lease is the fence: a worker that has lost it changes nothing. */
export function completeAttempt(end: AttemptEnd, request: CompleteContext): CompletedAttempt {
  const { queues, findWebhook, nowMs } = request;
  const delivery = queues.delivery(end);
  const webhook = findWebhook(end);
  const lease = delivery?.lease;
  const isHeld = lease?.attempt === end.attempt && lease.claimedAtMs === end.claimedAtMs;
  if (delivery === undefined || webhook === undefined || !isHeld) return { outcome: 'stale' };
  queues.ended(lease, nowMs);
  const sent = 'result' in end ? endedAt(end, webhook.record.url) : null;
  let disabled: DisabledReason | null = null;
  if (sent === null) queues.putBack(delivery, nowMs);
  else disabled = settle(sent, request, { delivery, webhook });
  if (webhook.record.disabledAtMs !== null) queues.notDue(delivery.queue);
  return sent?.isMoved ? { outcome: 'moved' } : { outcome: 'completed', disabled };
}

interface Ended {
  readonly delivery: QueuedDelivery;
  readonly webhook: StoredWebhook;
}

function settle(
  { attempt, claimedAtMs, createdAtMs, result, outcome, backoffMs }: SentAttempt,
  { queues, limits, nowMs }: CompleteContext,
  { delivery, webhook }: Ended,
): DisabledReason | null {
  const { queue } = delivery;
  const { status, durationMs, error } = result;
  const ended = { attempt, startedAtMs: claimedAtMs, status, durationMs, error };
  const { progress, delayMs } = endAttempt(delivery.progress, ended, outcome);
  delivery.progress = progress;
  queue.backoffUntilMs = Math.max(queue.backoffUntilMs, backoffMs > 0 ? nowMs + backoffMs : 0);
  if (delayMs !== null) queues.retryAt(delivery, nowMs + delayMs);
  if (outcome.kind === 'delivered') {
    queue.failingSinceMs = null;
    queues.addDelivered(delivery);
    return null;
  }
  if (outcome.kind === 'not_counted') return null;
  const failure = { failingSinceMs: queue.failingSinceMs, createdAtMs, outcome, ...limits };
  queue.failingSinceMs ??= nowMs;
  if (webhook.record.disabledAtMs !== null) return null;
  const disabledReason = disabledBy(failure, nowMs);
  if (disabledReason === null) return null;
  webhook.record = { ...webhook.record, disabledAtMs: nowMs, disabledReason };
  queues.notDue(queue);
  // The room that this attempt has left may have been given to its own webhook.
  queues.unblockCapped(queue.accountId);
  return disabledReason;
}
