import { describe, expect, it } from 'vitest';
import { RateMargin } from './rate-margin.ts';

/** The margin after claims whose attempts began at these ages. */
function marginAfter(agesMs: readonly number[]): number {
  const margin = new RateMargin();
  for (const ageMs of agesMs) margin.record(ageMs);
  return margin.ms;
}

/** The ages of a hundred claims from a store nearby. */
const NEARBY = new Array<number>(100).fill(5);

describe('the margin of the rate limit', () => {
  it('is 150 ms at first, and 25 ms after a hundred fast claims', () => {
    expect(marginAfter([])).toBe(150);
    expect(marginAfter(NEARBY)).toBe(25);
  });

  it('is not widened by a single late claim', () => {
    expect(marginAfter([...NEARBY, 60_000])).toBeLessThanOrEqual(25);
  });

  it('reaches the delay of a slow store after two claims and shrinks within ten fast claims', () => {
    expect(marginAfter([400, 400])).toBeGreaterThanOrEqual(400);
    expect(marginAfter([...NEARBY, 300, 300])).toBeGreaterThanOrEqual(300);
    const fastAges = new Array<number>(10).fill(20);
    expect(marginAfter([8_000, 8_000, ...fastAges])).toBeLessThanOrEqual(150);
  });

  it('is not widened by late claims that alternate with fast claims', () => {
    const alternatingAges = new Array<readonly number[]>(5).fill([2_000, 5]).flat();
    expect(marginAfter([...NEARBY, ...alternatingAges])).toBeLessThanOrEqual(100);
  });

  it('is ten seconds at most', () => {
    expect(marginAfter(new Array<number>(1_000).fill(60_000))).toBe(10_000);
  });
});
