import type { FinishOutcome } from '../delivery-outcomes.ts';
import type { FinishRequest } from '../delivery-requests.ts';
import type { DisabledReason } from '../webhook-store.ts';
import type { Instant } from './instant.ts';
import { nextInLine } from './next-in-line.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';

/** Ends the attempt in flight, and settles what becomes of the delivery and of its webhook. */
export function finishAttempt(
  delivery: StoredDelivery,
  request: FinishRequest,
  now: Instant,
): FinishOutcome {
  const { attempt, result, maxInFlight, pauseMs } = request;
  // Only the sender of an attempt may end it: another one may be in flight by now.
  if (delivery.state !== 'sending' || delivery.attempt !== attempt) return { outcome: 'stale' };
  delivery.end(result);
  const { webhook } = delivery;
  webhook.pausedUntilMs = Math.max(webhook.pausedUntilMs, now.steadyMs + pauseMs);
  const { state, disabled } = applyVerdict(delivery, request, now);
  return {
    outcome: 'finished',
    state,
    disabled,
    next: nextInLine(webhook, maxInFlight, now),
  };
}

type Applied = Pick<Extract<FinishOutcome, { outcome: 'finished' }>, 'state' | 'disabled'>;

function applyVerdict(
  delivery: StoredDelivery,
  { verdict, disableAfterMs }: FinishRequest,
  { nowMs }: Instant,
): Applied {
  const { webhook } = delivery;
  switch (verdict.kind) {
    case 'delivered':
      webhook.failingSinceMs = null;
      delivery.unscheduleAs('delivered');
      return { state: 'delivered', disabled: null };
    case 'dead': {
      const disabled = countGivenUp(webhook, nowMs, disableAfterMs, verdict.reason === 'gone');
      delivery.markDead(verdict.reason);
      return { state: 'dead', disabled };
    }
    case 'retry':
      delivery.triesBefore += 1;
      webhook.failingSinceMs ??= nowMs;
      return { state: wait(delivery, nowMs + verdict.delayMs), disabled: null };
    case 'excused':
      return { state: wait(delivery, nowMs + verdict.delayMs), disabled: null };
  }
}

/** Counts a delivery that is given up; answers the reason if that disables the webhook. */
function countGivenUp(
  webhook: StoredWebhook,
  nowMs: number,
  disableAfterMs: number,
  isGone: boolean,
): DisabledReason | null {
  webhook.failingSinceMs ??= nowMs;
  if (webhook.record.disabledAtMs !== null) return null;
  if (!isGone && nowMs - webhook.failingSinceMs < disableAfterMs) return null;
  const disabledReason = isGone ? 'gone' : 'failing';
  webhook.record = { ...webhook.record, disabledAtMs: nowMs, disabledReason };
  return disabledReason;
}

/** Waits until a time; or is held, where the webhook is disabled. */
function wait(delivery: StoredDelivery, untilMs: number): 'held' | 'waiting' {
  if (delivery.webhook.record.disabledAtMs === null) {
    delivery.waitUntil(untilMs);
    return 'waiting';
  }
  delivery.unscheduleAs('held');
  return 'held';
}
