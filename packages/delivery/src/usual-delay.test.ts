import { describe, expect, it } from 'vitest';
import { UsualDelay } from './usual-delay.ts';

/** Notes answers, each asked for when it says and so long under way, and tells by how much each was late. */
function excesses(
  delay: UsualDelay,
  answers: readonly (readonly [askedAtMs: number, tookMs: number])[],
) {
  return answers.map(([askedAtMs, tookMs]) => delay.excessMs(askedAtMs, askedAtMs + tookMs));
}

describe('the usual delay', () => {
  it('tells by how much an answer took longer than the quickest of late', () => {
    const delay = new UsualDelay();
    expect(
      excesses(delay, [
        [0, 40],
        [50, 42],
        [100, 30],
        [150, 70],
        [300, 31],
      ]),
    ).toEqual([40, 2, -10, 40, 1]);
  });

  it('takes nothing for usual before the first answer', () => {
    expect(excesses(new UsualDelay(), [[1_000_000, 850]])).toEqual([850]);
  });

  it('does not take for usual what all came late at once, be it many and after a long stop', () => {
    for (const stopMs of [850, 6_000, 60_000]) {
      const delay = new UsualDelay();
      excesses(delay, [[0, 1]]);
      const late = Array.from({ length: 500 }, (_, nth) => [100 - nth / 1000, stopMs] as const);
      expect(Math.min(...excesses(delay, late))).toBe(stopMs - 1);
    }
  });

  it('takes for usual what has been for more than ten seconds, and nothing that has not been for five', () => {
    const delay = new UsualDelay();
    const slow = Array.from({ length: 22 }, (_, nth) => [500 * nth, 60] as const);
    expect(excesses(delay, [[-1, 1], ...slow]).slice(1, 11)).toEqual(Array(10).fill(59));
    expect(excesses(delay, [[11_000, 61]])).toEqual([1]);
  });
});
