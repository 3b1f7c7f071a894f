import { describe, expect, it } from 'vitest';
import { AdmissionDelay } from './admission-delay.ts';

const MARGIN_MS = 20;

/** How far the store's clock is from ours, ms. */
const AHEAD_MS = 1_000_000;

interface Trip {
  readonly askedAtMs: number;
  /** Until the store admitted it. */
  readonly thereMs?: number;
  /** From then until it was about to begin. */
  readonly backMs: number;
  readonly aheadMs?: number;
}

function measured(delay: AdmissionDelay, trips: readonly Trip[]): number[] {
  return trips.map(({ askedAtMs, thereMs = 1, backMs, aheadMs = AHEAD_MS }) => {
    const admittedAtMs = askedAtMs + thereMs;
    const admission = { askedAtMs, startedAtMs: admittedAtMs + aheadMs };
    return delay.measureMs(admission, admittedAtMs + backMs);
  });
}

/** One that has seen two attempts, of which one after the other. By default the store answers at once. */
function accustomed(backMs = 0, thereMs = 0): AdmissionDelay {
  const delay = new AdmissionDelay(MARGIN_MS);
  measured(delay, [
    { askedAtMs: -1_000, thereMs, backMs },
    { askedAtMs: -500, thereMs, backMs },
  ]);
  return delay;
}

describe('the delay of admissions', () => {
  it('is by how much the way back took longer than the quickest recently', () => {
    const backs = [2, 0, 40, 1].map((backMs, nth) => ({ askedAtMs: 100 * nth, backMs }));
    expect(measured(accustomed(), backs)).toEqual([2, 0, 40, 1]);
  });

  it('has in it what may hide in the quickest: all of the ways there and back, as far as a quarter of the margin', () => {
    expect(measured(accustomed(2, 1), [{ askedAtMs: 0, backMs: 10 }])).toEqual([8 + 3]);
    expect(measured(accustomed(40, 1), [{ askedAtMs: 0, backMs: 48 }])).toEqual([8 + 5]);
    expect(measured(accustomed(1, 40), [{ askedAtMs: 0, backMs: 9 }])).toEqual([8 + 2]);
  });

  it('is no more than all that has passed since it was asked for', () => {
    expect(measured(accustomed(2), [{ askedAtMs: 0, thereMs: 0, backMs: 1 }])).toEqual([1]);
    const setBack = { askedAtMs: 0, backMs: 3, aheadMs: AHEAD_MS - 3_600_000 };
    expect(measured(accustomed(2), [setBack])).toEqual([4]);
  });

  it('is not negative for the first after the clock of the store was set ahead', () => {
    const setAhead = { askedAtMs: 0, backMs: 3, aheadMs: AHEAD_MS + 3_600_000 };
    const after = { ...setAhead, askedAtMs: 10, backMs: 5 };
    expect(measured(accustomed(), [setAhead, after])).toEqual([0, 2]);
  });

  it('takes nothing for usual before the first attempt, and nothing that was in flight with it', () => {
    const together = Array.from({ length: 32 }, () => ({ askedAtMs: 7, backMs: 500 }));
    const delay = new AdmissionDelay(MARGIN_MS);
    expect(measured(delay, together)).toEqual(Array(32).fill(501));
    expect(measured(delay, [{ askedAtMs: 600, backMs: 30 }])).toEqual([31]);
    expect(measured(delay, [{ askedAtMs: 700, backMs: 31 }])).toEqual([1 + 5]);
  });

  it('takes nothing for usual after a pause of minutes, as the clocks may have drifted apart', () => {
    const drifted = { backMs: 30, aheadMs: AHEAD_MS + 200 };
    expect(measured(accustomed(), [{ ...drifted, askedAtMs: 290_000 }])).toEqual([0]);
    expect(measured(accustomed(), [{ ...drifted, askedAtMs: 310_000 }])).toEqual([31]);
  });

  it('forgets nothing because an attempt took long to connect, which is taken off', () => {
    const delay = accustomed();
    measured(delay, [
      { askedAtMs: 290_000, backMs: 0 },
      { askedAtMs: -20_000, backMs: 0 },
    ]);
    expect(measured(delay, [{ askedAtMs: 290_010, backMs: 30 }])).toEqual([30]);
    expect(measured(delay, [{ askedAtMs: 290_020, thereMs: 50, backMs: 3 }])).toEqual([3]);
  });

  it('does not blame a process for what the store was late to admit', () => {
    expect(measured(accustomed(), [{ askedAtMs: 0, thereMs: 500, backMs: 3 }])).toEqual([3]);
  });

  it('blames it for what came back late, however long the store usually takes to admit', () => {
    expect(measured(accustomed(2, 100), [{ askedAtMs: 0, thereMs: 1, backMs: 101 }])).toEqual([
      102,
    ]);
  });

  it('does not take for usual what all came late at once, even if many and after a long stop', () => {
    for (const backMs of [850, 6_000, 60_000]) {
      const late = Array.from({ length: 500 }, (_, nth) => ({ askedAtMs: -nth / 1000, backMs }));
      expect(Math.min(...measured(accustomed(), late))).toBeGreaterThan(backMs - 3);
    }
  });

  it('takes for usual what has been for more than ten seconds, and nothing that has not been for five', () => {
    const delay = accustomed();
    const slow = Array.from({ length: 22 }, (_, nth) => ({ askedAtMs: 500 * nth, backMs: 60 }));
    expect(measured(delay, slow).slice(0, 9)).toEqual(Array(9).fill(60));
    expect(measured(delay, [{ askedAtMs: 11_000, backMs: 61 }])).toEqual([1 + 5]);
  });

  it('remembers for five seconds what was usual, whenever that ended', () => {
    const delay = accustomed();
    const trips = Array.from({ length: 19 }, (_, nth) => {
      return { askedAtMs: 500 * nth, backMs: nth < 9 ? 0 : 60 };
    });
    expect(measured(delay, trips)).toEqual([...Array(9).fill(0), ...Array(10).fill(60)]);
  });
});
