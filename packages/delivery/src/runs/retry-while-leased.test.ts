import { describe, expect, it } from 'vitest';
import { retryWhileLeased, STORE_UNAVAILABLE } from './retry-while-leased.ts';
import { scriptedDeps } from './scripted-deps.test.support.ts';

const LAPSES_AT_MS = 5_000;

/** Calls that take no time, and pauses that a turned clock is ahead of. */
function scene() {
  const pauses: number[] = [];
  let nowMs = 0;
  const { context } = scriptedDeps();
  const deps = {
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
  return { deps, pauses };
}

describe('a call about an attempt', () => {
  it('is repeated after pauses that double, until it is answered', async () => {
    const { deps, pauses } = scene();
    const finished = { outcome: 'finished' };
    const answers = [STORE_UNAVAILABLE, STORE_UNAVAILABLE, STORE_UNAVAILABLE, finished];
    const call = async () => answers.shift() ?? STORE_UNAVAILABLE;
    expect(await retryWhileLeased(deps, LAPSES_AT_MS, call)).toBe(finished);
    expect(pauses).toEqual([200, 400, 800]);
  });

  it.each([
    [600, [200]],
    [601, [200, 400]],
  ])('is given up if its lease of %d ms would be over by the next', async (leaseMs, expected) => {
    const { deps, pauses } = scene();
    expect(await retryWhileLeased(deps, leaseMs, async () => STORE_UNAVAILABLE)).toBe(
      STORE_UNAVAILABLE,
    );
    expect(pauses).toEqual(expected);
  });
});
