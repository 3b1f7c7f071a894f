import type { Verdict } from '@latchhook/core';
import type { SendResult } from './send-result.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** What is waited for after the first failed try, the second ... After the one behind the last, all is over. */
const RETRY_DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

const JITTER = 0.2;

/** A receiver that is too slow or too busy gains nothing from being asked again within seconds. */
const OVERLOADED_DELAY_MS = MINUTE;

/** What is our own fault is tried again at this pace, for as long as it lasts. */
const EXCUSED_DELAY_MS = 30 * SECOND;

/**
 * What an attempt comes to.
 *
 * @param triesBefore failed tries of this run before this one
 * @param random from 0 up to 1
 */
export function judge(result: SendResult, triesBefore: number, random: () => number): Verdict {
  const { status, error } = result;
  if (error === 'sender_failed') {
    return { kind: 'excused', delayMs: upward(EXCUSED_DELAY_MS, random) };
  }
  // Where `error` is set the answer was cut off, and says nothing.
  if (error === null && status !== null) {
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    if (status === 410) return { kind: 'dead', reason: 'gone' };
  }
  const baseMs = RETRY_DELAYS_MS[triesBefore];
  if (baseMs === undefined) return { kind: 'dead', reason: 'exhausted' };
  return { kind: 'retry', delayMs: retryDelay(result, baseMs, random) };
}

function retryDelay(
  { status, error, retryAfterMs }: SendResult,
  baseMs: number,
  random: () => number,
): number {
  const leastMs = Math.max(
    retryAfterMs ?? 0,
    error === 'timeout' || status === 429 ? OVERLOADED_DELAY_MS : 0,
  );
  // Who asks for less is never asked early; and all who were told the same time do not come back at once.
  if (status === 429 || status === 503 || leastMs > 0) {
    return upward(Math.max(baseMs, leastMs), random);
  }
  return Math.round(baseMs * (1 - JITTER + 2 * JITTER * random()));
}

function upward(ms: number, random: () => number): number {
  return Math.round(ms * (1 + JITTER * random()));
}
