import { MAX_RATE_LIMIT, type WebhookRecord } from '../webhook-store.ts';
import { addStarts, fillWindow, freeAtMs, freeStarts, type StartWindow } from './start-window.ts';

/** How many attempts of one webhook a claim takes at most, so that a burst to one does not fill it. */
const QUANTUM = 16;

/** A webhook as a queue: what decides when it may start attempts. JSON-safe. */
export interface QueueState {
  /** The sequence of its newest delivery; 0: it never had any. */
  readonly lastSequence: number;
  /** Deliveries up to this sequence wait for their first try no longer. */
  readonly lastTaken: number;
  /** How many wait for a retry. */
  readonly retries: number;
  readonly inFlight: number;
  readonly wasRetryLast: boolean;
  /** When the present series of failures began, ms. */
  readonly failingSinceMs: number | null;
  readonly backoffUntilMs: number;
  readonly starts: StartWindow;
  /** Since when, or from when, it can start something, ms; `null`: nothing of it can. */
  readonly dueAtMs: number | null;
  /** Whether it waits for one of its own attempts to end. */
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

/** How many wait for their first try or a retry, some that have expired among them. */
export function waitingInQueue({ lastSequence, lastTaken, retries }: QueueState): number {
  return lastSequence - lastTaken + retries;
}

/** What a claim has capacity for. */
export interface StartLimits {
  readonly capacity: number;
  readonly maxInFlightPerWebhook: number;
}

/** How many attempts of a webhook may start now. */
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

/** Whether a retry that is due comes before the oldest first try: they alternate while both wait. */
export function isRetryNext(
  { wasRetryLast }: Pick<QueueState, 'wasRetryLast'>,
  hasFresh: boolean,
): boolean {
  return !hasFresh || !wasRetryLast;
}

/** A queue of which `count` attempts have been claimed. */
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

/** What is left in a queue after a claim has looked at it. */
export interface QueueHeads {
  /** Whether a delivery could start now, as far as deliveries decide it. */
  readonly hasHead: boolean;
  readonly nextRetryAtMs: number | null;
  /** Since when it has been waiting to start something, ms. */
  readonly sinceMs: number;
}

/** When a queue can start something next. */
function nextStart(
  queue: Pick<QueueState, 'backoffUntilMs' | 'inFlight' | 'starts'>,
  webhook: WebhookRecord,
  { hasHead, nextRetryAtMs, sinceMs }: QueueHeads,
  { maxInFlightPerWebhook }: Pick<StartLimits, 'maxInFlightPerWebhook'>,
  nowMs: number,
): Pick<QueueState, 'dueAtMs' | 'isCapped'> {
  const dueAt = (dueAtMs: number | null) => ({ dueAtMs, isCapped: false });
  if (webhook.disabledAtMs !== null) return dueAt(null);
  if (!hasHead) return dueAt(nextRetryAtMs);
  if (nowMs < queue.backoffUntilMs) return dueAt(queue.backoffUntilMs);
  if (freeStarts(queue.starts, webhook, nowMs) <= 0) {
    return dueAt(freeAtMs(queue.starts, webhook, nowMs) ?? nowMs);
  }
  if (queue.inFlight >= maxInFlightPerWebhook) return { dueAtMs: null, isCapped: true };
  return dueAt(sinceMs);
}

/** A queue that knows when it can start something next. */
export function queueWithNextStart(
  queue: QueueState,
  webhook: WebhookRecord,
  heads: QueueHeads,
  limits: Pick<StartLimits, 'maxInFlightPerWebhook'>,
  nowMs: number,
): QueueState {
  return { ...queue, ...nextStart(queue, webhook, heads, limits, nowMs) };
}

/** A queue that can start something by then, unless its webhook is disabled. */
export function queueDueBy(queue: QueueState, webhook: WebhookRecord, atMs: number): QueueState {
  if (webhook.disabledAtMs !== null || queue.isCapped) return queue;
  return { ...queue, dueAtMs: Math.min(queue.dueAtMs ?? atMs, atMs) };
}

/** A queue of which an attempt is in flight no longer: it need not wait for that. */
export function queueAfterAttempt(
  queue: QueueState,
  webhook: WebhookRecord,
  nowMs: number,
): QueueState {
  const ended = { ...queue, inFlight: queue.inFlight - 1, isCapped: false };
  return queue.isCapped ? queueDueBy(ended, webhook, nowMs) : ended;
}

/** A queue of which nothing starts: its webhook was disabled. */
export function queueNotDue(queue: QueueState): QueueState {
  return { ...queue, dueAtMs: null, isCapped: false };
}

/** A queue that uses the new settings of its webhook. */
export function queueAfterChange(
  queue: QueueState,
  before: WebhookRecord,
  after: WebhookRecord,
  nowMs: number,
): QueueState {
  const isMinuteNow = after.rateLimitPeriod === 'minute' && before.rateLimitPeriod !== 'minute';
  const changed = {
    ...queue,
    backoffUntilMs: after.url === before.url ? queue.backoffUntilMs : nowMs,
    starts: isMinuteNow ? fillWindow(queue.starts, MAX_RATE_LIMIT) : queue.starts,
  };
  return queue.dueAtMs === null ? changed : queueDueBy(changed, after, nowMs);
}

/** A queue of a webhook that was enabled, whether or not it was disabled. */
export function queueAfterEnabling(queue: QueueState, webhook: WebhookRecord, nowMs: number) {
  const enabled = { ...queue, backoffUntilMs: nowMs, failingSinceMs: null };
  return waitingInQueue(queue) > 0 ? queueDueBy(enabled, webhook, nowMs) : enabled;
}

/** A queue whose clock was set back: nothing waits for longer, but for retries. */
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
