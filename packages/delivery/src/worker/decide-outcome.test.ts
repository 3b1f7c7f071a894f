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

function answered(status: number | null, rest: Partial<SendResult> = {}): SendResult {
  return { status, durationMs: 1, error: null, retryAfterMs: null, ...rest };
}

/** The attempt that comes after so many failed tries. */
const after = (failures: number): BeforeAttempt => ({ failures, notCounted: 0 });

/** The span that the next try falls into. */
function span(result: SendResult, failures: number): (number | string)[] {
  return [earliest, latest].map((random) => {
    const outcome = decideOutcome(result, after(failures), random);
    return 'delayMs' in outcome ? outcome.delayMs : outcome.kind;
  });
}

describe('decideOutcome', () => {
  it.each([200, 201, 202, 204, 299])('returns delivered for %d', (status) => {
    expect(decideOutcome(answered(status), after(9), earliest)).toEqual({ kind: 'delivered' });
  });

  it.each([300, 302, 304, 307, 400, 401, 404, 409, 418, 500, 501])(
    'retries by the schedule after %d, a fifth earlier or later',
    (status) => {
      expect(SCHEDULE.map((_, tries) => span(answered(status), tries))).toEqual(
        SCHEDULE.map((ms) => [ms * 0.8, ms * 1.2]),
      );
    },
  );

  it('fails the delivery after the tenth failure', () => {
    expect(decideOutcome(answered(500), after(9), earliest)).toEqual({
      kind: 'failed',
      reason: 'exhausted',
    });
    expect(decideOutcome(answered(null, { error: 'timeout' }), after(9), earliest)).toEqual({
      kind: 'failed',
      reason: 'exhausted',
    });
  });

  it('fails the delivery at once after 410', () => {
    expect(decideOutcome(answered(410), after(0), earliest)).toEqual({
      kind: 'failed',
      reason: 'gone',
    });
  });

  it.each([502, 503, 504])('retries no earlier than the schedule after %d', (status) => {
    expect(span(answered(status), 0)).toEqual([5_000, 6_000]);
    expect(span(answered(status), 1)).toEqual([5 * MINUTE, 6 * MINUTE]);
  });

  it.each([429, 502, 503, 504])('retries after %d no earlier than the backoff ends', (status) => {
    const result = answered(status);
    expect(span(result, 0)[0]).toBeGreaterThanOrEqual(decideBackoff(result));
  });

  it('retries no earlier than a minute after 429 or a timeout', () => {
    const busy = [answered(429), answered(null, { error: 'timeout' })];
    for (const result of busy) {
      expect(span(result, 0)).toEqual([60_000, 72_000]);
      expect(span(result, 1)).toEqual([5 * MINUTE, 6 * MINUTE]);
    }
  });

  it('retries no earlier than Retry-After, and no earlier than the schedule', () => {
    const asking = answered(500, { retryAfterMs: 20 * MINUTE });
    expect(span(asking, 0)).toEqual([20 * MINUTE, 24 * MINUTE]);
    expect(span(asking, 2)).toEqual([30 * MINUTE, 36 * MINUTE]);
  });

  it('retries by the schedule for a Retry-After of 0', () => {
    expect(span(answered(500, { retryAfterMs: 0 }), 0)).toEqual([4_000, 6_000]);
  });

  it.each([200, 410])('counts a %d that was cut off as a failure', (status) => {
    const cut = answered(status, { error: 'connection_reset' });
    expect(span(cut, 0)).toEqual([4_000, 6_000]);
    expect(decideOutcome(cut, after(9), earliest)).toEqual({ kind: 'failed', reason: 'exhausted' });
  });

  it('counts no failure for a fault of the sender', () => {
    const ours = answered(null, { error: 'sender_failed' });
    for (const tries of [0, 9]) {
      expect(decideOutcome(ours, after(tries), latest)).toEqual({
        kind: 'not_counted',
        delayMs: 36_000,
      });
    }
  });

  it('retries after a fault of the sender at growing intervals, up to ten minutes', () => {
    const ours = answered(null, { error: 'sender_failed' });
    const delays = [0, 1, 2, 3, 4, 5, 6, 10_000].map((notCounted) => {
      const outcome = decideOutcome(ours, { failures: 2, notCounted }, earliest);
      return 'delayMs' in outcome ? outcome.delayMs / 1_000 : outcome.kind;
    });
    expect(delays).toEqual([30, 60, 120, 240, 480, 600, 600, 600]);
  });
});
