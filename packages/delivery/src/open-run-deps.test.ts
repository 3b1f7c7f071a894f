import { describe, expect, it } from 'vitest';
import { attemptTimeoutMs } from './open-run-deps.ts';

describe('the time of an attempt', () => {
  it.each([
    [20_000, 15_000],
    [60_000, 15_000],
    [7_000, 2_000],
  ])('ends five seconds before a lease of %i ms, and after fifteen', (leaseMs, timeoutMs) => {
    expect(attemptTimeoutMs({ leaseMs })).toBe(timeoutMs);
  });
});
