import { describe, expect, it } from 'vitest';
import { ClaimSize } from './claim-size.ts';

const LARGEST = 262_144;

/** As many attempts with bodies of this length. */
function attempts(count: number, chars: number) {
  return Array.from({ length: count }, () => ({ body: 'x'.repeat(chars) }));
}

describe('the size of a claim', () => {
  it('is 64 for small bodies and four for the largest ones', () => {
    const size = new ClaimSize();
    expect(size.limit).toBe(64);
    size.record(attempts(64, 1_000));
    expect(size.limit).toBe(64);
    size.record(attempts(2, LARGEST));
    expect(size.limit).toBe(4);
    size.record(attempts(4, 1_000));
    expect(size.limit).toBe(64);
  });

  it('is one at least', () => {
    const size = new ClaimSize();
    size.record(attempts(1, 10 * LARGEST));
    expect(size.limit).toBe(1);
  });

  it('is halved by each failed claim until a claim returns attempts', () => {
    const size = new ClaimSize();
    const limits = Array.from({ length: 8 }, () => {
      size.recordFailure();
      return size.limit;
    });
    expect(limits).toEqual([32, 16, 8, 4, 2, 1, 1, 1]);
    size.record([]);
    expect(size.limit).toBe(1);
    size.record(attempts(1, 1_000));
    expect(size.limit).toBe(64);
  });
});
