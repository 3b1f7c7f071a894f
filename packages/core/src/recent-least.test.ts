import { describe, expect, it } from 'vitest';
import { RecentLeast } from './recent-least.ts';

/** After these values were noted at these times, of a period of 10. */
function after(...notes: readonly (readonly [value: number, atMs: number])[]) {
  const recent = new RecentLeast(10);
  for (const [value, atMs] of notes) recent.note(value, atMs);
  return recent.value;
}

describe('the least of a while', () => {
  it('is nothing before something was noted', () => {
    expect(after()).toBeUndefined();
  });

  it('is the least, whenever it came', () => {
    expect(after([3, 0], [1, 2], [2, 4])).toBe(1);
  });

  it('counts for one period at least and for two at most, as far as others come', () => {
    expect(after([1, 0], [5, 11], [4, 21])).toBe(1);
    expect(after([1, 0], [5, 11], [4, 22])).toBe(4);
    expect(after([5, 0], [1, 10], [6, 20], [7, 31])).toBe(6);
  });

  it('is not pushed out by many at once', () => {
    expect(after([1, 0], ...Array.from({ length: 500 }, () => [60, 15] as const))).toBe(1);
  });

  it('stays while nothing else comes', () => {
    expect(after([1, 0], [5, 1_000])).toBe(1);
  });
});
