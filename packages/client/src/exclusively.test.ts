import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createExclusively } from './exclusively.ts';
import type { Locks } from './platform.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Stands in for `navigator.locks`; the lock is granted as the test says. */
function stubLocks(request: Locks['request']): void {
  vi.stubGlobal('navigator', { locks: { request: vi.fn(request) } });
}

it('keeps the lock for a while after something was stored, but nobody waiting', async () => {
  const events: string[] = [];
  stubLocks(async (name, work) => {
    events.push(name);
    const result = await work();
    events.push('released');
    return result;
  });
  const exclusively = createExclusively('login');
  await exclusively(async () => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(events).toEqual(['latchhook:login', 'released']);

  events.length = 0;
  await exclusively(async (hasStored) => hasStored());
  await vi.advanceTimersByTimeAsync(499);
  expect(events).toEqual(['latchhook:login']);
  await vi.advanceTimersByTimeAsync(1);
  expect(events).toEqual(['latchhook:login', 'released']);
});

it('rejects as the work does, and frees the lock', async () => {
  let isFree = false;
  stubLocks(async (_, work) => {
    const result = await work();
    isFree = true;
    return result;
  });
  const failed = createExclusively('login')(() => Promise.reject(new Error('refused')));
  await expect(failed).rejects.toThrow('refused');
  await vi.advanceTimersByTimeAsync(0);
  expect(isFree).toBe(true);
});

it('works without the lock where the platform refuses it, as to a sandboxed frame', async () => {
  stubLocks(() => Promise.reject(new DOMException('denied', 'SecurityError')));
  expect(await createExclusively('login')(async () => 'done')).toBe('done');
});

it('works once where the lock is taken away', async () => {
  stubLocks(async (_, work) => {
    await work();
    throw new DOMException('stolen', 'AbortError');
  });
  const work = vi.fn(async () => 'done');
  expect(await createExclusively('login')(work)).toBe('done');
  await vi.runAllTimersAsync();
  expect(work).toHaveBeenCalledTimes(1);
});

it.each([
  ['a storage that is not shared', undefined, { locks: {} }],
  ['a platform without locks', 'login', {}],
  ['a platform without a navigator', 'login', undefined],
])('works at once for %s', async (_, name, navigator) => {
  vi.stubGlobal('navigator', navigator);
  expect(await createExclusively(name)(async () => 'done')).toBe('done');
});
