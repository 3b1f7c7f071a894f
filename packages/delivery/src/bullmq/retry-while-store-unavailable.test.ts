import { StorageUnavailableError } from '@latchhook/core/storage';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Script,
  scheduled,
  scriptedDeps,
  started,
} from '../runs/scripted-deps.test.support.ts';
import { retryWhileStoreUnavailable } from './retry-while-store-unavailable.ts';

/** A store that is unavailable until the test has it back, and what has become of a delivery meanwhile. */
function outage(script: Script = {}) {
  const state = { isUnavailable: true, isClosing: false };
  const deps = scriptedDeps({
    start: () => {
      if (state.isUnavailable) throw new StorageUnavailableError('unavailable');
      return started();
    },
    ...script,
  });
  deps.slots.tryAcquire(1);
  const step = retryWhileStoreUnavailable(deps, scheduled('msg_1'), () => state.isClosing);
  return { state, deps, step };
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('a run while the store is unavailable', () => {
  it('stays where it is, and asks now and then until the store is back', async () => {
    const { state, deps, step } = outage();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(deps.calls.length).toBeGreaterThan(12);
    expect(deps.calls.length).toBeLessThan(30);
    state.isUnavailable = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await step).toEqual({ outcome: 'delivered' });
  });

  it('is left to others when the process ends', async () => {
    const { state, step } = outage();
    await vi.advanceTimersByTimeAsync(10_000);
    state.isClosing = true;
    await vi.advanceTimersByTimeAsync(250);
    expect(await step).toMatchObject({ outcome: 'store_unavailable' });
  });

  it('asks no more once the process ends, not even if its wait is over just then', async () => {
    const { state, deps, step } = outage();
    await vi.advanceTimersByTimeAsync(3_499);
    state.isClosing = true;
    await vi.advanceTimersByTimeAsync(1);
    expect(await step).toMatchObject({ outcome: 'wait' });
    expect(deps.calls).toEqual(['start msg_1']);
  });

  it('releases the slot of its account while it waits', async () => {
    const { deps, step } = outage({ slots: 30 });
    await vi.advanceTimersByTimeAsync(0);
    for (let nth = 0; nth < 10; nth += 1) expect(deps.slots.tryAcquire(1)).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await step).toMatchObject({ outcome: 'wait' });
    expect(deps.calls).toEqual(['start msg_1']);
  });

  it('leaves to the queue what the store has put off', async () => {
    const deferred = { outcome: 'deferred', delayMs: 5_000, reason: 'rate', next: null } as const;
    const { step } = outage({ start: () => deferred });
    expect(await step).toEqual({ outcome: 'wait', delayMs: 5_000 });
  });
});
