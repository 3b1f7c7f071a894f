import { describe, expect, it } from 'vitest';
import { retryWhileLeased } from './retry-while-leased.ts';
import { scriptedParts } from './scripted-parts.test.support.ts';

const LAPSES_AT_MS = 5_000;

/** Calls that take no time, and pauses that a turned clock is ahead of. */
function scene() {
  const pauses: number[] = [];
  let nowMs = 0;
  const { context } = scriptedParts();
  const parts = {
    context: { ...context, clock: { nowMs: () => nowMs } },
    timers: {
      after(ms: number, callback: () => void) {
        pauses.push(ms);
        nowMs += ms;
        callback();
        return () => {};
      },
    },
  };
  return { parts, pauses };
}

describe('a call about an attempt', () => {
  it('is repeated after pauses that double, until it is answered', async () => {
    const { parts, pauses } = scene();
    const answers = [null, null, null, 'told'];
    const call = async () => answers.shift() ?? null;
    expect(await retryWhileLeased(parts, LAPSES_AT_MS, call)).toBe('told');
    expect(pauses).toEqual([200, 400, 800]);
  });

  it.each([
    [600, [200]],
    [601, [200, 400]],
  ])('is given up if its lease of %d ms would be over by the next', async (leaseMs, expected) => {
    const { parts, pauses } = scene();
    expect(await retryWhileLeased(parts, leaseMs, async () => null)).toBeNull();
    expect(pauses).toEqual(expected);
  });
});
