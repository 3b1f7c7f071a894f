import { describe, expect, it } from 'vitest';
import { RateMargin } from './rate-margin.ts';

/** The margin after attempts that took so long to begin. */
function after(agesMs: readonly number[]): number {
  const margin = new RateMargin();
  for (const ageMs of agesMs) margin.record(ageMs);
  return margin.ms;
}

const NEARBY = new Array<number>(100).fill(5);

describe('the margin of the rate limit', () => {
  it('is 150 ms at first, and 25 ms after a hundred fast claims', () => {
    expect(after([])).toBe(150);
    expect(after(NEARBY)).toBe(25);
  });

  it('is not widened by a single standstill', () => {
    expect(after([...NEARBY, 60_000])).toBeLessThanOrEqual(25);
  });

  it('reaches the delay of a slow store after two claims, and shrinks again within ten fast ones', () => {
    expect(after([400, 400])).toBeGreaterThanOrEqual(400);
    expect(after([...NEARBY, 300, 300])).toBeGreaterThanOrEqual(300);
    const fast = new Array<number>(10).fill(20);
    expect(after([8_000, 8_000, ...fast])).toBeLessThanOrEqual(150);
  });

  it('is not widened by standstills between which claims are on time', () => {
    const standstills = new Array<readonly number[]>(5).fill([2_000, 5]).flat();
    expect(after([...NEARBY, ...standstills])).toBeLessThanOrEqual(100);
  });

  it('is ten seconds at most', () => {
    expect(after(new Array<number>(1_000).fill(60_000))).toBe(10_000);
  });
});
