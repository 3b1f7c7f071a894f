import type { AttemptOutcome, ClaimedAttempt } from '@latchhook/core/storage';
import { RETRY_DELAYS_MS } from '../retry-schedule.ts';
import type { SendResult } from '../send/send-result.ts';
import { isOverloaded } from './decide-backoff.ts';

/** The largest jitter, as a share of the delay. It spreads the retries of deliveries that failed together. */
const JITTER = 0.2;

/** The shortest delay after 429 or a timeout, ms: an earlier attempt would not help so busy or slow a receiver. */
const LEAST_BUSY_DELAY_MS = 60_000;

/** The delay after a failure of the sender, ms. It doubles with each further failure in a row. */
const FAULT_DELAY_MS = 30_000;
/**
 * The longest delay after a failure of the sender, ms. Such failures are not counted, so only the retention ends them,
 * for example if a key is lost. A long delay keeps their number low.
 */
const MAX_FAULT_DELAY_MS = 600_000;

/**
 * Decides the outcome of an attempt for its delivery.
 *
 * @param random - from 0 up to 1
 */
export function decideOutcome(
  result: SendResult,
  { failures, notCounted }: Pick<ClaimedAttempt, 'failures' | 'notCounted'>,
  random: () => number,
): AttemptOutcome {
  const { status, error } = result;
  if (error === 'sender_failed') {
    const delayMs = Math.min(FAULT_DELAY_MS * 2 ** notCounted, MAX_FAULT_DELAY_MS);
    return { kind: 'not_counted', delayMs: addJitter(delayMs, random) };
  }
  // If `error` is set, the response is incomplete, and its status does not count.
  if (error === null && status !== null) {
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    if (status === 410) return { kind: 'failed', reason: 'gone' };
  }
  const baseMs = RETRY_DELAYS_MS[failures];
  if (baseMs === undefined) return { kind: 'failed', reason: 'exhausted' };
  return { kind: 'retry', delayMs: retryDelay(result, baseMs, random) };
}

function retryDelay(result: SendResult, baseMs: number, random: () => number): number {
  const { status, error, retryAfterMs } = result;
  const leastMs = Math.max(
    retryAfterMs ?? 0,
    error === 'timeout' || status === 429 ? LEAST_BUSY_DELAY_MS : 0,
  );
  // A receiver that is overloaded, or has named a time, must not be retried early.
  if (isOverloaded(result) || leastMs > 0) return addJitter(Math.max(baseMs, leastMs), random);
  return Math.round(baseMs * (1 - JITTER + 2 * JITTER * random()));
}

function addJitter(ms: number, random: () => number): number {
  return Math.round(ms * (1 + JITTER * random()));
}
