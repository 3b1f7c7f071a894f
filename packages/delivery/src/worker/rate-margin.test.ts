import { describe, expect, it } from 'vitest';
import { RateMargin } from './rate-margin.ts';

/** The margin after attempts that took so long to begin. */
function after(agesMs: readonly number[]): number {
  const margin = new RateMargin();
  for (const ageMs of agesMs) margin.note(ageMs);
  return margin.ms;
}

const NEARBY = new Array<number>(100).fill(5);

describe('the margin of the rate', () => {
  it('is wide at first, and small once a store nearby has answered some times', () => {
    expect(after([])).toBe(150);
    expect(after(NEARBY)).toBe(25);
  });

  it('is widened by a single standstill no more than by any other delay', () => {
    expect(after([...NEARBY, 60_000])).toBeLessThanOrEqual(25);
  });

  it('reaches a store that has become distant, or a process that is busy, within some claims', () => {
    expect(after([...NEARBY, 300, 300, 300, 300, 300, 300])).toBeGreaterThanOrEqual(300);
  });

  it('is never so wide that stores take it for a clock that was set back', () => {
    expect(after(new Array<number>(1_000).fill(60_000))).toBe(10_000);
  });
});
