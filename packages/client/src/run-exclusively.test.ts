import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Locks } from './platform.ts';
import { createRunExclusively } from './run-exclusively.ts';

const HOLD_AFTER_WRITE_MS = 500;
const LEASE_MS = 12_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Replaces `navigator.locks`. `request` decides when the lock is granted. */
function stubLocks(request: Locks['request']): void {
  vi.stubGlobal('navigator', { locks: { request: vi.fn(request) } });
}

it('the Web Lock is held for 500 ms after work that wrote to the storage, but not after other work', async () => {
  const events: string[] = [];
  stubLocks(async (name, _options, work) => {
    events.push(name);
    const result = await work();
    events.push('released');
    return result;
  });
  const runExclusively = createRunExclusively('login');
  await runExclusively(async () => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(events).toEqual(['latchhook:login', 'released']);

  events.length = 0;
  await runExclusively(async (markStored) => markStored());
  await vi.advanceTimersByTimeAsync(HOLD_AFTER_WRITE_MS - 1);
  expect(events).toEqual(['latchhook:login']);
  await vi.advanceTimersByTimeAsync(1);
  expect(events).toEqual(['latchhook:login', 'released']);
});

it('the Web Lock is released if the work rejects', async () => {
  let isReleased = false;
  stubLocks(async (_name, _options, work) => {
    const result = await work();
    isReleased = true;
    return result;
  });
  const rejectedWork = createRunExclusively('login')(() => Promise.reject(new Error('rejected')));
  await expect(rejectedWork).rejects.toThrow('rejected');
  await vi.advanceTimersByTimeAsync(0);
  expect(isReleased).toBe(true);
});

it('work runs without a lock if the platform rejects locks, as in a sandboxed frame', async () => {
  stubLocks(() => Promise.reject(new DOMException('denied', 'SecurityError')));
  expect(await createRunExclusively('login')(async () => 'done')).toBe('done');
});

it('work runs without a lock if the Web Lock is not granted within the length of a lease', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), ms);
    return controller.signal;
  });
  stubLocks((_name, { signal }) => {
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  });
  let state = 'waiting';
  void createRunExclusively('login')(async () => 'done').then((result) => {
    state = result;
  });
  await vi.advanceTimersByTimeAsync(LEASE_MS - 1);
  expect(state).toBe('waiting');
  await vi.advanceTimersByTimeAsync(1);
  expect(state).toBe('done');
  timeout.mockRestore();
});

it('work runs only once if another tab steals the Web Lock', async () => {
  stubLocks(async (_name, _options, work) => {
    await work();
    throw new DOMException('stolen', 'AbortError');
  });
  const work = vi.fn(async () => 'done');
  expect(await createRunExclusively('login')(work)).toBe('done');
  await vi.runAllTimersAsync();
  expect(work).toHaveBeenCalledTimes(1);
});

it.each([
  ['for a storage that is not shared', undefined, { locks: {} }],
  ['on a platform without locks', 'login', {}],
  ['on a platform without a navigator', 'login', undefined],
])('work runs without a lock %s', async (_, name, navigator) => {
  vi.stubGlobal('navigator', navigator);
  expect(await createRunExclusively(name)(async () => 'done')).toBe('done');
});
