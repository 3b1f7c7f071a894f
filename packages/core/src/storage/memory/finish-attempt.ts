import type { FinishOutcome, FinishRequest, ScheduledDelivery } from '../delivery-store.ts';
import type { DisabledReason } from '../webhook-store.ts';
import { inFlight, rateOf, scheduledIn } from './line-up.ts';
import type { StoredDelivery, StoredWebhook } from './stored-delivery.ts';
import type { Instant } from './webhook-states.ts';

/** Ends the attempt under way, and settles what becomes of the delivery and of its webhook. */
export function finishAttempt(
  delivery: StoredDelivery,
  { attempt, result, verdict, disableAfterMs, maxInFlight }: FinishRequest,
  now: Instant,
): FinishOutcome {
  const { webhook } = delivery;
  const { nowMs } = now;
  // Only its own sender may end an attempt: another one may be under way by now.
  if (delivery.state !== 'sending' || delivery.attempt !== attempt) return { outcome: 'stale' };
  delivery.end(result);

  switch (verdict.kind) {
    case 'delivered': {
      webhook.failingSinceMs = null;
      delivery.rest('delivered');
      return {
        outcome: 'finished',
        state: 'delivered',
        disabled: null,
        next: next(webhook, maxInFlight, now),
      };
    }
    case 'dead': {
      const disabled = countFailure(webhook, nowMs, disableAfterMs, verdict.reason === 'gone');
      delivery.die(verdict.reason);
      return {
        outcome: 'finished',
        state: 'dead',
        disabled,
        next: next(webhook, maxInFlight, now),
      };
    }
    case 'retry': {
      delivery.triesBefore += 1;
      const disabled = countFailure(webhook, nowMs, disableAfterMs, false);
      const state = wait(delivery, nowMs + verdict.delayMs);
      return { outcome: 'finished', state, disabled, next: next(webhook, maxInFlight, now) };
    }
    case 'excused': {
      const state = wait(delivery, nowMs + verdict.delayMs);
      return { outcome: 'finished', state, disabled: null, next: next(webhook, maxInFlight, now) };
    }
  }
}

/** The first that was told to wait for room, where it may start. Named once: whoever is told takes it. */
function next(webhook: StoredWebhook, maxInFlight: number, now: Instant): ScheduledDelivery | null {
  const delivery = webhook.record.disabledAtMs === null ? webhook.crowd.at(0) : undefined;
  if (delivery === undefined) return null;
  // Those before it are awake, and take the room first.
  const { rank } = delivery;
  if (inFlight(webhook, now) + rank >= maxInFlight) return null;
  if (webhook.starts.free(now.steadyMs, rateOf(webhook)) <= rank) return null;
  delivery.leaveCrowd();
  // If whoever is told dies, it is due, and found late.
  delivery.dueAtMs = now.nowMs;
  return scheduledIn(0, delivery);
}

/** The reason where this failure disables the webhook. */
function countFailure(
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

/** Until then, or until the webhook is enabled. */
function wait(delivery: StoredDelivery, untilMs: number): 'held' | 'waiting' {
  if (delivery.webhook.record.disabledAtMs === null) {
    delivery.waitUntil(untilMs);
    return 'waiting';
  }
  delivery.rest('held');
  return 'held';
}
