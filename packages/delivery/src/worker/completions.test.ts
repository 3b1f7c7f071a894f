import { systemTimers } from '@latchhook/core/delivery';
import type { AttemptEnd } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { Completions } from './completions.ts';

it('completions go to the store a thousand at a time at most', async () => {
  const sizes: number[] = [];
  let settled = 0;
  const completions = new Completions({
    store: {
      complete: async (ends) => {
        sizes.push(ends.length);
        return ends.map(() => ({ outcome: 'stale' }));
      },
    },
    limits: { disableAfterMs: 1 },
    emit: () => {},
    timers: systemTimers,
    nowMs: () => 0,
    onClaimable: () => {},
    onSettled: (ends) => {
      settled += ends.length;
    },
  });
  const end = { outcome: { kind: 'not_started' } } as AttemptEnd;
  completions.add(...Array.from({ length: 2_500 }, () => ({ end, leaseEndsAtMs: 1 })));
  await expect.poll(() => completions.isIdle).toBe(true);
  expect(sizes).toEqual([1_000, 1_000, 500]);
  expect(settled).toBe(2_500);
});
