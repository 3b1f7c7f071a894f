import type { Verdict } from '@latchhook/core';
import { jittered } from '../jittered.ts';
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

/** Of a delay, added at most to one that must not end early. */
const JITTER = 0.2;

/** A receiver that is too slow or too busy gains nothing from being asked again within seconds. */
const OVERLOADED_DELAY_MS = MINUTE;

/** What is our own fault is tried again after this, then after twice as long ... */
const EXCUSED_DELAY_MS = 30 * SECOND;
/**
 * ... and at this pace for as long as it lasts. Nothing else puts an end to it but the retention: a key that is lost
 * for good, or a name whose answer this host's name server cannot hand on, is asked for thousands of times, not
 * a hundred thousand.
 */
const EXCUSED_DELAY_AT_MOST_MS = 10 * MINUTE;

/** What came before an attempt. */
export interface AttemptsBefore {
  /** Failed tries of this run. */
  readonly triesBefore: number;
  /** Attempts that our own fault was to blame for. Looked at where this one is another of them. */
  readonly faultsBefore: number;
}

/**
 * What an attempt comes to.
 *
 * @param random from 0 up to 1
 */
export function judge(
  result: SendResult,
  { triesBefore, faultsBefore }: AttemptsBefore,
  random: () => number,
): Verdict {
  const { status, error } = result;
  if (error === 'sender_failed') {
    const delayMs = EXCUSED_DELAY_MS * 2 ** faultsBefore;
    return {
      kind: 'excused',
      delayMs: upward(Math.min(delayMs, EXCUSED_DELAY_AT_MOST_MS), random),
    };
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
  return Math.round(jittered(baseMs, random));
}

function upward(ms: number, random: () => number): number {
  return Math.round(ms * (1 + JITTER * random()));
}
