import { describe, expect, it } from 'vitest';
import type { SendResult } from '../send/send-result.ts';
import { decideBackoff } from './decide-backoff.ts';
import { decideOutcome } from './decide-outcome.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SCHEDULE = [
  5_000,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

type BeforeAttempt = Parameters<typeof decideOutcome>[1];

const earliest = (): number => 0;
const latest = (): number => 1;

function resultWith(status: number | null, rest: Partial<SendResult> = {}): SendResult {
  return { status, durationMs: 1, error: null, retryAfterMs: null, ...rest };
}

/** The attempt that follows this number of failed tries. */
const attemptAfter = (failures: number): BeforeAttempt => ({ failures, notCounted: 0 });

/** The shortest and the longest delay before the next try, or the kinds of outcomes without a delay. */
function delayRange(result: SendResult, failures: number): (number | string)[] {
  return [earliest, latest].map((random) => {
    const outcome = decideOutcome(result, attemptAfter(failures), random);
    return 'delayMs' in outcome ? outcome.delayMs : outcome.kind;
  });
}

describe('decideOutcome', () => {
  it.each([200, 201, 202, 204, 299])('returns delivered for %d', (status) => {
    expect(decideOutcome(resultWith(status), attemptAfter(9), earliest)).toEqual({
      kind: 'delivered',
    });
  });

  it.each([300, 302, 304, 307, 400, 401, 404, 409, 418, 500, 501])(
    'retries by the schedule after %d, a fifth earlier or later',
    (status) => {
      expect(SCHEDULE.map((_, tries) => delayRange(resultWith(status), tries))).toEqual(
        SCHEDULE.map((ms) => [ms * 0.8, ms * 1.2]),
      );
    },
  );

  it('fails the delivery after the tenth failure', () => {
    expect(decideOutcome(resultWith(500), attemptAfter(9), earliest)).toEqual({
      kind: 'failed',
      reason: 'exhausted',
    });
    expect(
      decideOutcome(resultWith(null, { error: 'timeout' }), attemptAfter(9), earliest),
    ).toEqual({
      kind: 'failed',
      reason: 'exhausted',
    });
  });

  it('fails the delivery immediately after 410', () => {
    expect(decideOutcome(resultWith(410), attemptAfter(0), earliest)).toEqual({
      kind: 'failed',
      reason: 'gone',
    });
  });

  it.each([502, 503, 504])('retries no earlier than the schedule after %d', (status) => {
    expect(delayRange(resultWith(status), 0)).toEqual([5_000, 6_000]);
    expect(delayRange(resultWith(status), 1)).toEqual([5 * MINUTE, 6 * MINUTE]);
  });

  it.each([429, 502, 503, 504])('retries after %d no earlier than the backoff ends', (status) => {
    const result = resultWith(status);
    expect(delayRange(result, 0)[0]).toBeGreaterThanOrEqual(decideBackoff(result));
  });

  it('retries no earlier than a minute after 429 or a timeout', () => {
    const busyResults = [resultWith(429), resultWith(null, { error: 'timeout' })];
    for (const result of busyResults) {
      expect(delayRange(result, 0)).toEqual([60_000, 72_000]);
      expect(delayRange(result, 1)).toEqual([5 * MINUTE, 6 * MINUTE]);
    }
  });

  it('retries no earlier than both Retry-After and the schedule', () => {
    const result = resultWith(500, { retryAfterMs: 20 * MINUTE });
    expect(delayRange(result, 0)).toEqual([20 * MINUTE, 24 * MINUTE]);
    expect(delayRange(result, 2)).toEqual([30 * MINUTE, 36 * MINUTE]);
  });

  it('retries by the schedule if Retry-After is 0', () => {
    expect(delayRange(resultWith(500, { retryAfterMs: 0 }), 0)).toEqual([4_000, 6_000]);
  });

  it.each([200, 410])('counts an incomplete response with status %d as a failure', (status) => {
    const incomplete = resultWith(status, { error: 'connection_reset' });
    expect(delayRange(incomplete, 0)).toEqual([4_000, 6_000]);
    expect(decideOutcome(incomplete, attemptAfter(9), earliest)).toEqual({
      kind: 'failed',
      reason: 'exhausted',
    });
  });

  it('counts no failure if the sender is at fault', () => {
    const senderFailure = resultWith(null, { error: 'sender_failed' });
    for (const tries of [0, 9]) {
      expect(decideOutcome(senderFailure, attemptAfter(tries), latest)).toEqual({
        kind: 'not_counted',
        delayMs: 36_000,
      });
    }
  });

  it('retries after a fault of the sender at growing intervals, up to ten minutes', () => {
    const senderFailure = resultWith(null, { error: 'sender_failed' });
    const delays = [0, 1, 2, 3, 4, 5, 6, 10_000].map((notCounted) => {
      const outcome = decideOutcome(senderFailure, { failures: 2, notCounted }, earliest);
      return 'delayMs' in outcome ? outcome.delayMs / 1_000 : outcome.kind;
    });
    expect(delays).toEqual([30, 60, 120, 240, 480, 600, 600, 600]);
  });
});
