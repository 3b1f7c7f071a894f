import { afterEach, describe, expect, it, vi } from 'vitest';
import { PendingCalls } from './call-guard.ts';

const LONGEST_WAIT_MS = 5_000;

afterEach(() => void vi.useRealTimers());

describe('PendingCalls.settled()', () => {
  it('resolves immediately if no call has begun', async () => {
    await new PendingCalls().settled();
  });

  it('resolves once all calls have ended, including one that begins when the last of them ends', async () => {
    const pending = new PendingCalls();
    const order: string[] = [];
    pending.begin();
    pending.begin();
    const settled = pending.settled().then(() => void order.push('settled'));
    pending.end();
    await null;
    order.push('first call ended');
    pending.end();
    await null;
    // The following call begins in a microtask after the second has ended.
    pending.begin();
    await new Promise((resolve) => setImmediate(resolve));
    order.push('following call ended');
    pending.end();
    await settled;
    expect(order).toEqual(['first call ended', 'following call ended', 'settled']);
  });

  it('resolves after five seconds even if a call never ends', async () => {
    vi.useFakeTimers();
    const pending = new PendingCalls();
    pending.begin();
    let isSettled = false;
    const settled = pending.settled().then(() => {
      isSettled = true;
    });
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT_MS - 1);
    expect(isSettled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await settled;
  });
});
