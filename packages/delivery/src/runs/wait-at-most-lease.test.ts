import { systemTimers } from '@latchhook/core/delivery';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { scriptedDeps } from './scripted-deps.test.support.ts';
import { waitAtMostLease } from './wait-at-most-lease.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

function deps() {
  const { context } = scriptedDeps();
  return { context, timers: systemTimers };
}

describe('the end of the attempts in flight', () => {
  it.each([
    ['settles', () => Promise.resolve()],
    ['fails', () => Promise.reject(new Error('lost'))],
  ])('comes as soon as it %s, and leaves no timer', async (_, work) => {
    await waitAtMostLease(deps(), work());
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is waited for until the longest lease is over', async () => {
    const { context, timers } = deps();
    let isOver = false;
    void waitAtMostLease({ context, timers }, new Promise(() => {})).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(context.policy.leaseMs - 1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
  });
});
