import type { Verdict } from '@latchhook/core/storage';
import { jittered } from '../jittered.ts';
import { RETRY_DELAYS_MS } from '../retry-schedule.ts';
import { isOverloaded } from '../send/is-overloaded.ts';
import type { SendResult } from '../send/send-result.ts';

/** The share of a delay that is added at most where it must not end early. */
const JITTER = 0.2;

/** The least delay after 429 or a timeout, ms: so busy or slow a receiver gains nothing from being asked sooner. */
const LEAST_BUSY_DELAY_MS = 60_000;

/** The delay after a fault of our own; the next in a row has twice that ... */
const EXCUSED_DELAY_MS = 30_000;
/**
 * ... up to this. Only the retention puts an end to it: a key that is lost for good, or a name that this host's name
 * server cannot resolve, is asked for thousands of times, not a hundred thousand.
 */
const MAX_EXCUSED_DELAY_MS = 600_000;

/** What came before an attempt. */
export interface AttemptsBefore {
  /** Failed tries of this run. */
  readonly triesBefore: number;
  /** Attempts in a row, right before this one, that failed through our own fault. Only read where this one did too. */
  readonly faultsBefore: number;
}

/**
 * Decides what an attempt means for its delivery.
 *
 * @param random - from 0 up to 1
 */
export function decideVerdict(
  result: SendResult,
  { triesBefore, faultsBefore }: AttemptsBefore,
  random: () => number,
): Verdict {
  const { status, error } = result;
  if (error === 'sender_failed') {
    const delayMs = EXCUSED_DELAY_MS * 2 ** faultsBefore;
    return {
      kind: 'excused',
      delayMs: upward(Math.min(delayMs, MAX_EXCUSED_DELAY_MS), random),
    };
  }
  // Where `error` is set, the answer was cut off and does not count.
  if (error === null && status !== null) {
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    if (status === 410) return { kind: 'dead', reason: 'gone' };
  }
  const baseMs = RETRY_DELAYS_MS[triesBefore];
  if (baseMs === undefined) return { kind: 'dead', reason: 'exhausted' };
  return { kind: 'retry', delayMs: retryDelay(result, baseMs, random) };
}

function retryDelay(result: SendResult, baseMs: number, random: () => number): number {
  const { status, error, retryAfterMs } = result;
  const leastMs = Math.max(
    retryAfterMs ?? 0,
    error === 'timeout' || status === 429 ? LEAST_BUSY_DELAY_MS : 0,
  );
  // A receiver that asks to be left alone is never asked early, which would be within the pause of its webhook, and its
  // deliveries do not all come back at once.
  if (isOverloaded(result) || leastMs > 0) return upward(Math.max(baseMs, leastMs), random);
  return Math.round(jittered(baseMs, random));
}

function upward(ms: number, random: () => number): number {
  return Math.round(ms * (1 + JITTER * random()));
}
