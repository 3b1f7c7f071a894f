import { afterEach, describe, expect, it, vi } from 'vitest';
import { PendingCalls } from './pending-calls.ts';

afterEach(() => void vi.useRealTimers());

describe('PendingCalls.settled()', () => {
  it('resolves at once if no call has begun', async () => {
    await new PendingCalls().settled();
  });

  it('resolves once the last call has ended, and the calls that it began', async () => {
    const pending = new PendingCalls();
    const ended: string[] = [];
    for (let i = 0; i < 2; i += 1) pending.begin();
    const closed = pending.settled().then(() => void ended.push('closed'));
    pending.end();
    await null;
    ended.push('first');
    pending.end();
    await null;
    pending.begin();
    await new Promise((resolve) => setImmediate(resolve));
    ended.push('second');
    pending.end();
    await closed;
    expect(ended).toEqual(['first', 'second', 'closed']);
  });

  it('resolves after five seconds even if a call never ends', async () => {
    vi.useFakeTimers();
    const pending = new PendingCalls();
    pending.begin();
    let isClosed = false;
    const closed = pending.settled().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closed;
  });
});
