import type { AttemptOutcome } from '../delivery-store.ts';
import { MAX_RATE_LIMIT, type WebhookRecord } from '../webhook-store.ts';
import { addStarts, fillWindow, freeAtMs, freeStarts, type StartWindow } from './start-window.ts';

/** How many attempts of one webhook a claim takes at most, so that a burst to one webhook does not fill the claim. */
const QUANTUM = 16;

/** The state of a webhook's queue that decides when attempts may start. JSON-safe. */
export interface QueueState {
  /** The sequence of the newest delivery; 0: there never was one. */
  readonly lastSequence: number;
  /** Deliveries up to this sequence no longer wait for their first attempt. */
  readonly lastTaken: number;
  /** The number of deliveries that wait for a retry. */
  readonly retries: number;
  readonly inFlight: number;
  /** Whether a due retry was claimed after the last first attempt: while both wait, the other kind is next. */
  readonly wasRetryLast: boolean;
  /** When the current series of failures began, ms. */
  readonly failingSinceMs: number | null;
  /** No attempt starts before this time, ms. */
  readonly backoffUntilMs: number;
  readonly starts: StartWindow;
  /** The time from which the next attempt can start, ms, in the past or future; `null`: none can start. */
  readonly dueAtMs: number | null;
  /** Whether the queue waits for one of its own attempts in flight to end. */
  readonly isCapped: boolean;
}

export const NEW_QUEUE: QueueState = {
  lastSequence: 0,
  lastTaken: 0,
  retries: 0,
  inFlight: 0,
  wasRetryLast: false,
  failingSinceMs: null,
  backoffUntilMs: 0,
  starts: [],
  dueAtMs: null,
  isCapped: false,
};

/**
 * The number of deliveries that wait for their first attempt or a retry, including expired ones that no claim has
 * reached yet.
 */
export function waitingInQueue({ lastSequence, lastTaken, retries }: QueueState): number {
  return lastSequence - lastTaken + retries;
}

/** The limits of a claim. */
export interface StartLimits {
  readonly capacity: number;
  readonly maxInFlightPerWebhook: number;
}

/** The number of attempts of a webhook that may start now under its limits. */
export function startsAllowed(
  queue: Pick<QueueState, 'backoffUntilMs' | 'inFlight' | 'starts'>,
  webhook: WebhookRecord,
  { capacity, maxInFlightPerWebhook }: StartLimits,
  nowMs: number,
): number {
  if (webhook.disabledAtMs !== null || nowMs < queue.backoffUntilMs) return 0;
  const webhookCapacity = maxInFlightPerWebhook - queue.inFlight;
  const free = freeStarts(queue.starts, webhook, nowMs);
  return Math.max(0, Math.min(QUANTUM, capacity, webhookCapacity, free));
}

/** Whether a due retry comes before the oldest first attempt: they alternate while both wait. */
export function isRetryNext(
  { wasRetryLast }: Pick<QueueState, 'wasRetryLast'>,
  hasFresh: boolean,
): boolean {
  return !hasFresh || !wasRetryLast;
}

/** The queue after `count` attempts were claimed. */
export function queueWithStarts(
  queue: QueueState,
  webhook: WebhookRecord,
  { count, beginByMs }: { readonly count: number; readonly beginByMs: number },
  nowMs: number,
): QueueState {
  if (count === 0) return queue;
  const starts = addStarts(queue.starts, [beginByMs, count], webhook, nowMs);
  return { ...queue, inFlight: queue.inFlight + count, starts };
}

/** The state of a queue after a claim has taken deliveries from its head. */
export interface QueueHeads {
  /** Whether another delivery is due, even if a limit of the webhook does not let it start. */
  readonly hasHead: boolean;
  readonly nextRetryAtMs: number | null;
  /** Since when the queue has been waiting to start an attempt, ms. */
  readonly sinceMs: number;
}

/** The queue with the time of its next start. */
export function queueWithNextStart(
  queue: QueueState,
  webhook: WebhookRecord,
  { hasHead, nextRetryAtMs, sinceMs }: QueueHeads,
  { maxInFlightPerWebhook }: Pick<StartLimits, 'maxInFlightPerWebhook'>,
  nowMs: number,
): QueueState {
  const dueAt = (dueAtMs: number | null) => ({ ...queue, dueAtMs, isCapped: false });
  if (webhook.disabledAtMs !== null) return dueAt(null);
  if (!hasHead) return dueAt(nextRetryAtMs);
  if (nowMs < queue.backoffUntilMs) return dueAt(queue.backoffUntilMs);
  if (freeStarts(queue.starts, webhook, nowMs) <= 0) {
    return dueAt(freeAtMs(queue.starts, webhook, nowMs) ?? nowMs);
  }
  if (queue.inFlight >= maxInFlightPerWebhook) return { ...queue, dueAtMs: null, isCapped: true };
  return dueAt(sinceMs);
}

/** The queue, due at `atMs` at the latest, unless it is capped or its webhook is disabled. */
export function queueDueBy(queue: QueueState, webhook: WebhookRecord, atMs: number): QueueState {
  if (webhook.disabledAtMs !== null || queue.isCapped) return queue;
  return { ...queue, dueAtMs: Math.min(queue.dueAtMs ?? atMs, atMs) };
}

/** The queue after one of its attempts has ended. A capped queue has waited for this, and is due now. */
export function queueAfterAttempt(
  queue: QueueState,
  webhook: WebhookRecord,
  nowMs: number,
): QueueState {
  const ended = { ...queue, inFlight: queue.inFlight - 1, isCapped: false };
  return queue.isCapped ? queueDueBy(ended, webhook, nowMs) : ended;
}

/**
 * The queue after the result of an attempt.
 *
 * @param backoffMs - the backoff that the result requires, ms; 0: none
 */
export function queueAfterResult(
  queue: QueueState,
  kind: AttemptOutcome['kind'],
  backoffMs: number,
  nowMs: number,
): QueueState {
  const failingSinceMs = failingSince(queue, kind, nowMs);
  if (backoffMs <= 0 && failingSinceMs === queue.failingSinceMs) return queue;
  const backoffUntilMs = backoffMs > 0 ? nowMs + backoffMs : 0;
  return {
    ...queue,
    backoffUntilMs: Math.max(queue.backoffUntilMs, backoffUntilMs),
    failingSinceMs,
  };
}

/** Since when a webhook has had only failures, ms; `null`: its last counted attempt succeeded. */
function failingSince(
  { failingSinceMs }: QueueState,
  kind: AttemptOutcome['kind'],
  nowMs: number,
): number | null {
  switch (kind) {
    case 'delivered':
      return null;
    case 'not_counted':
      return failingSinceMs;
    default:
      return failingSinceMs ?? nowMs;
  }
}

/** The queue of a webhook that was disabled. */
export function queueNotDue(queue: QueueState): QueueState {
  return { ...queue, dueAtMs: null, isCapped: false };
}

/**
 * The queue after a change of its webhook's settings. A backoff of the former URL ends. A queue that waits for a time
 * is due now, because a higher limit may let it start: if not, the next claim computes the time again.
 */
export function queueAfterChange(
  queue: QueueState,
  before: WebhookRecord,
  after: WebhookRecord,
  nowMs: number,
): QueueState {
  // A window of a second does not show how many attempts have started in the last minute: it counts as full.
  const isLongerPeriod = after.rateLimitPeriod === 'minute' && before.rateLimitPeriod !== 'minute';
  const changed = {
    ...queue,
    backoffUntilMs: after.url === before.url ? queue.backoffUntilMs : nowMs,
    starts: isLongerPeriod ? fillWindow(queue.starts, MAX_RATE_LIMIT) : queue.starts,
  };
  return queue.dueAtMs === null ? changed : queueDueBy(changed, after, nowMs);
}

/** The queue after its webhook was enabled, even if it was not disabled. */
export function queueAfterEnabling(queue: QueueState, webhook: WebhookRecord, nowMs: number) {
  const enabled = { ...queue, backoffUntilMs: nowMs, failingSinceMs: null };
  return waitingInQueue(queue) > 0 ? queueDueBy(enabled, webhook, nowMs) : enabled;
}

/** The queue after the clock was set back by `byMs`. Only retries then wait longer. */
export function queueAfterSetBack(queue: QueueState, byMs: number, nowMs: number): QueueState {
  const { failingSinceMs, backoffUntilMs, starts, dueAtMs } = queue;
  return {
    ...queue,
    failingSinceMs: failingSinceMs === null ? null : failingSinceMs - byMs,
    backoffUntilMs: Math.max(0, backoffUntilMs - byMs),
    starts: starts.map(([beginByMs, count]) => [beginByMs - byMs, count]),
    dueAtMs: dueAtMs === null ? null : Math.min(dueAtMs, nowMs),
  };
}
