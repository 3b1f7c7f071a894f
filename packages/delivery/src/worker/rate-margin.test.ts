import { describe, expect, it } from 'vitest';
import { RateMargin } from './rate-margin.ts';

function after(ages: readonly number[]): number {
  const margin = new RateMargin();
  for (const age of ages) margin.note(age);
  return margin.ms;
}

describe('the margin of the rate', () => {
  it('is 25 ms while attempts begin soon', () => {
    expect(after([])).toBe(25);
    expect(after(new Array(100).fill(10))).toBe(25);
  });

  it('follows a store that is far away', () => {
    expect(after(new Array(40).fill(100))).toBeGreaterThan(140);
    expect(after([...new Array(40).fill(100), ...new Array(100).fill(5)])).toBe(25);
  });

  it('is widened by a single standstill no more than by any other delay', () => {
    expect(after([...new Array(50).fill(5), 60_000])).toBeLessThanOrEqual(25);
  });
});
