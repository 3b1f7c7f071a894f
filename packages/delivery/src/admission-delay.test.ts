import { describe, expect, it } from 'vitest';
import { AdmissionDelay } from './admission-delay.ts';

/** How far the store's clock is from ours, ms. */
const AHEAD_MS = 1_000_000;

interface Trip {
  readonly askedAtMs: number;
  /** Until the store admitted it. */
  readonly thereMs?: number;
  /** From then until the answer was read. */
  readonly backMs: number;
  readonly aheadMs?: number;
}

function excesses(delay: AdmissionDelay, trips: readonly Trip[]): number[] {
  return trips.map(({ askedAtMs, thereMs = 1, backMs, aheadMs = AHEAD_MS }) => {
    const admittedAtMs = askedAtMs + thereMs;
    const admission = { askedAtMs, startedAtMs: admittedAtMs + aheadMs };
    return delay.measureExcessMs(admission, admittedAtMs + backMs);
  });
}

/** One that has seen an answer in time. */
function accustomed(): AdmissionDelay {
  const delay = new AdmissionDelay();
  excesses(delay, [{ askedAtMs: -10, backMs: 2 }]);
  return delay;
}

describe('the delay of admissions', () => {
  it('tells by how much an answer took longer on its way back than the quickest of late', () => {
    const backs = [42, 30, 70, 31].map((backMs, nth) => ({ askedAtMs: 50 * nth, backMs }));
    const delay = new AdmissionDelay();
    excesses(delay, [{ askedAtMs: -50, backMs: 40 }]);
    expect(excesses(delay, backs)).toEqual([2, -10, 40, 1]);
  });

  it('takes nothing for usual before the first answer', () => {
    expect(excesses(new AdmissionDelay(), [{ askedAtMs: 7, backMs: 850 }])).toEqual([851]);
  });

  it('does not blame a process for what the store was late to admit', () => {
    expect(excesses(accustomed(), [{ askedAtMs: 0, thereMs: 500, backMs: 3 }])).toEqual([1]);
  });

  it('does not blame it for a clock that was set, back or ahead', () => {
    for (const aheadMs of [AHEAD_MS - 3_600_000, AHEAD_MS + 3_600_000]) {
      const [excessMs = Number.NaN] = excesses(accustomed(), [
        { askedAtMs: 0, backMs: 3, aheadMs },
      ]);
      expect(excessMs).toBeLessThanOrEqual(1);
    }
  });

  it('does not take for usual what all came late at once, be it many and after a long stop', () => {
    for (const backMs of [850, 6_000, 60_000]) {
      const late = Array.from({ length: 500 }, (_, nth) => ({ askedAtMs: -nth / 1000, backMs }));
      expect(Math.min(...excesses(accustomed(), late))).toBeGreaterThan(backMs - 3);
    }
  });

  it('takes for usual what has been for more than ten seconds, and nothing that has not been for five', () => {
    const delay = accustomed();
    const slow = Array.from({ length: 22 }, (_, nth) => ({ askedAtMs: 500 * nth, backMs: 60 }));
    expect(excesses(delay, slow).slice(0, 10)).toEqual(Array(10).fill(58));
    expect(excesses(delay, [{ askedAtMs: 11_000, backMs: 61 }])).toEqual([1]);
  });
});
