import type { StartOutcome } from '../delivery-outcomes.ts';
import type { StartRequest } from '../delivery-requests.ts';
import type { Instant } from './instant.ts';
import { lineUp, obstacleTo, park } from './line-up.ts';
import { nextInLine } from './next-in-line.ts';
import { signingSecrets } from './signing-secrets.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import { rankOf } from './turns.ts';

const OVER: StartOutcome = { outcome: 'over' };
const HELD: StartOutcome = { outcome: 'held' };

/** Admits an attempt if nothing forbids it, in O(log n), n being the deliveries that wait. */
export function startAttempt(
  delivery: StoredDelivery,
  request: StartRequest,
  now: Instant,
): StartOutcome {
  const { webhook } = delivery;
  if (delivery.run !== request.run) return OVER;
  if (delivery.state === 'delivered' || delivery.state === 'dead') return OVER;
  webhook.rateMarginMs = request.rateMarginMs;
  const hadItsTurn = delivery.isInFlightSince(request.withdrawnStartAtMs);
  if (hadItsTurn) delivery.withdraw(now.nowMs);
  if (delivery.state === 'sending') {
    const leftMs = delivery.leaseLeftMs(now.nowMs);
    if (leftMs > 0) return { outcome: 'deferred', reason: 'sending', delayMs: leftMs, next: null };
    delivery.lose(now.nowMs);
    if (delivery.lostAttempts >= request.maxLostAttempts) {
      delivery.markDead('poison');
      return { outcome: 'poisoned', next: nextInLine(webhook, request.maxInFlight, now) };
    }
  }
  if (webhook.record.disabledAtMs !== null) delivery.unscheduleAs('held');
  if (delivery.state === 'held') return HELD;
  const forbiddenMs = delivery.forbiddenMs(now.nowMs);
  if (forbiddenMs > 0) {
    return { outcome: 'deferred', reason: 'schedule', delayMs: forbiddenMs, next: null };
  }
  const rank = hadItsTurn ? 0 : rankOf(delivery);
  const reason = obstacleTo(webhook, rank, request.maxInFlight, now);
  if (reason === null) return start(delivery, request, now);
  const { delayMs } = reason === 'rate' ? lineUp(delivery, now) : park(delivery, request, now);
  const next = nextInLine(webhook, request.maxInFlight, now);
  return { outcome: 'deferred', reason, delayMs, next };
}

function start(
  delivery: StoredDelivery,
  { leaseMs, maxInFlight }: StartRequest,
  now: Instant,
): StartOutcome {
  const { webhook, message } = delivery;
  delivery.start(now, leaseMs);
  const { url, secrets } = webhook.record;
  return {
    outcome: 'started',
    attempt: delivery.attempt,
    triesBefore: delivery.triesBefore,
    startedAtMs: now.nowMs,
    body: message.body,
    webhook: { url, secrets: signingSecrets(secrets, now.nowMs) },
    next: nextInLine(webhook, maxInFlight, now),
  };
}
