import { describe, expect, it } from 'vitest';
import { drainDeadlineMs } from './drain-deadline.ts';

describe('the deadline of drainDeliveries', () => {
  it.each([
    [5_000, 5_000],
    [0.5, 0.5],
    [-1, 0],
    [1e12, 2_147_483_647],
    [Number.POSITIVE_INFINITY, 2_147_483_647],
  ])('of %d ms is %d ms', (deadlineMs, expected) => {
    expect(drainDeadlineMs({ deadlineMs })).toBe(expected);
  });

  it.each([undefined, null, {}, { deadlineMs: '5000' }, { deadlineMs: Number.NaN }, 5_000])(
    'is rejected if it is not a number: %j',
    (options) => {
      expect(() => drainDeadlineMs(options)).toThrow(
        expect.objectContaining({ code: 'option_out_of_bounds' }),
      );
    },
  );
});
