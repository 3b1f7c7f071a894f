import type { AttemptOutcome, ClaimedAttempt } from '@latchhook/core/storage';
import { jittered } from '../jittered.ts';
import { RETRY_DELAYS_MS } from '../retry-schedule.ts';
import { isOverloaded } from '../send/is-overloaded.ts';
import type { SendResult } from '../send/send-result.ts';

/** The share of a delay that is added at most where it must not end early. */
const JITTER = 0.2;

/** The least delay after 429 or a timeout, ms: so busy or slow a receiver gains nothing from being asked sooner. */
const LEAST_BUSY_DELAY_MS = 60_000;

/** The delay after our own fault, ms; the next in a row has twice that ... */
const FAULT_DELAY_MS = 30_000;
/**
 * ... up to this. Only the retention puts an end to it: a key that is lost for good, or a name that this host's name
 * server cannot resolve, is asked for thousands of times, not a hundred thousand.
 */
const MAX_FAULT_DELAY_MS = 600_000;

/**
 * Decides what an attempt means for its delivery.
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
    return { kind: 'not_counted', delayMs: upward(delayMs, random) };
  }
  // Where `error` is set, the answer was cut off and does not count.
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
  // A receiver that asks to be left alone is never asked early, while its webhook backs off, and its deliveries do not
  // all come back at once.
  if (isOverloaded(result) || leastMs > 0) return upward(Math.max(baseMs, leastMs), random);
  return Math.round(jittered(baseMs, random));
}

function upward(ms: number, random: () => number): number {
  return Math.round(ms * (1 + JITTER * random()));
}
