import type { StartOutcome, StartRequest } from '../delivery-store.ts';
import { inFlight, lineUp, rateOf } from './line-up.ts';
import { signingSecrets } from './signing-secrets.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { Instant } from './webhook-states.ts';

const OVER: StartOutcome = { outcome: 'over' };
const HELD: StartOutcome = { outcome: 'held' };

/** A retry that waits for room asks this often: who is next is named among first tries alone. */
const RETRY_PAUSE_MS = 1_000;

/** Begins an attempt where nothing forbids it, in O(log n) of what waits. */
export function startAttempt(
  delivery: StoredDelivery,
  request: StartRequest,
  now: Instant,
): StartOutcome {
  const { webhook } = delivery;
  if (delivery.run !== request.run) return OVER;
  if (delivery.state === 'delivered' || delivery.state === 'dead') return OVER;
  if (delivery.state === 'sending') {
    const leftMs = delivery.dueAtMs - now.nowMs;
    if (leftMs > 0) return { outcome: 'deferred', by: 'sending', delayMs: leftMs };
    delivery.lose();
    if (delivery.lostAttempts >= request.maxLostAttempts) {
      delivery.die('poison');
      return { outcome: 'poisoned' };
    }
    delivery.waitUntil(now.nowMs);
  }
  if (webhook.record.disabledAtMs !== null) delivery.rest('held');
  if (delivery.state === 'held') return HELD;
  if (delivery.state === 'waiting' && delivery.notBeforeMs > now.nowMs) {
    return { outcome: 'deferred', by: 'schedule', delayMs: delivery.notBeforeMs - now.nowMs };
  }
  webhook.rateMarginMs = request.rateMarginMs;
  return deferral(delivery, request, now) ?? begin(delivery, request, now);
}

function deferral(
  delivery: StoredDelivery,
  request: StartRequest,
  now: Instant,
): StartOutcome | undefined {
  const { webhook } = delivery;
  // The room that there is may be for earlier first tries. Retries have waited long enough.
  const needed = delivery.state === 'queued' ? delivery.rank + 1 : 1;
  if (webhook.starts.free(now.steadyMs, rateOf(webhook)) < needed) {
    return { outcome: 'deferred', by: 'rate', delayMs: lineUp(delivery, now).delayMs };
  }
  if (inFlight(webhook, now) + needed <= request.maxInFlight) return undefined;
  if (delivery.state === 'queued') delivery.joinCrowd();
  const delayMs = inFlightDelayMs(delivery, request);
  delivery.dueAtMs = now.nowMs + delayMs;
  return { outcome: 'deferred', by: 'in_flight', delayMs };
}

/** When there is room at the worst, if every attempt takes its whole lease. `finish` names it sooner. */
function inFlightDelayMs(
  { state, rank }: StoredDelivery,
  { maxInFlight, leaseMs }: StartRequest,
): number {
  if (state === 'waiting') return Math.min(leaseMs, RETRY_PAUSE_MS);
  return Math.ceil(leaseMs * (rank / maxInFlight + 1));
}

function begin(delivery: StoredDelivery, { leaseMs }: StartRequest, now: Instant): StartOutcome {
  const { webhook, message } = delivery;
  webhook.starts.add(now.steadyMs);
  delivery.begin(now.nowMs, leaseMs);
  const { url, secrets, rateLimit, rateLimitPeriod } = webhook.record;
  return {
    outcome: 'started',
    attempt: delivery.attempt,
    triesBefore: delivery.triesBefore,
    startedAtMs: now.nowMs,
    event: message.event,
    body: message.body,
    webhook: { url, secrets: signingSecrets(secrets, now.nowMs), rateLimit, rateLimitPeriod },
  };
}
