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
  const startedSteadyMs = delivery.end(result);
  const { webhook } = delivery;
  if (pauseMs > 0) pause(webhook, startedSteadyMs, pauseMs, now);
  const { state, disabled } = applyVerdict(delivery, request, now);
  return {
    outcome: 'finished',
    state,
    disabled,
    next: nextInLine(webhook, maxInFlight, now),
  };
}

/** Pauses a webhook, as an attempt that started at `startedSteadyMs` asks for. */
function pause(
  webhook: StoredWebhook,
  startedSteadyMs: number,
  pauseMs: number,
  { steadyMs }: Instant,
): void {
  const { pausedUntilMs } = webhook;
  // While it was in flight a pause ended, perhaps as another receiver is asked from now on.
  if (startedSteadyMs < pausedUntilMs && pausedUntilMs <= steadyMs) return;
  webhook.pausedUntilMs = Math.max(pausedUntilMs, steadyMs + pauseMs);
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
      const disabled = noteFailure(delivery, verdict.reason, disableAfterMs, nowMs);
      delivery.markDead(verdict.reason);
      return { state: 'dead', disabled };
    }
    case 'retry': {
      delivery.triesBefore += 1;
      const disabled = noteFailure(delivery, null, disableAfterMs, nowMs);
      return { state: wait(delivery, nowMs + verdict.delayMs), disabled };
    }
    case 'excused':
      return { state: wait(delivery, nowMs + verdict.delayMs), disabled: null };
  }
}

/** Notes that a delivery is given up, or is not (`null`); answers the reason if that disables its webhook. */
function noteFailure(
  { webhook, message }: StoredDelivery,
  deadReason: 'exhausted' | 'gone' | null,
  disableAfterMs: number,
  nowMs: number,
): DisabledReason | null {
  webhook.failingSinceMs ??= nowMs;
  if (webhook.record.disabledAtMs !== null) return null;
  const isLong = (sinceMs: number): boolean => nowMs - sinceMs >= disableAfterMs;
  const isFailing =
    isLong(webhook.failingSinceMs) && (deadReason !== null || isLong(message.createdAtMs));
  if (deadReason !== 'gone' && !isFailing) return null;
  const disabledReason = deadReason === 'gone' ? 'gone' : 'failing';
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
