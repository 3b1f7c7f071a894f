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

it('the lock is held for 500 ms after a change was stored, without delaying its caller', async () => {
  const events: string[] = [];
  stubLocks(async (name, _options, work) => {
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

it('the lock is released if the work rejects', async () => {
  let isFree = false;
  stubLocks(async (_name, _options, work) => {
    const result = await work();
    isFree = true;
    return result;
  });
  const failed = createExclusively('login')(() => Promise.reject(new Error('rejected')));
  await expect(failed).rejects.toThrow('rejected');
  await vi.advanceTimersByTimeAsync(0);
  expect(isFree).toBe(true);
});

it('work runs without a lock if the platform rejects locks, as in a sandboxed frame', async () => {
  stubLocks(() => Promise.reject(new DOMException('denied', 'SecurityError')));
  expect(await createExclusively('login')(async () => 'done')).toBe('done');
});

it('work runs without a lock if the tab that holds it stands still for as long as a lease', async () => {
  const waits = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const aborted = new AbortController();
    setTimeout(() => aborted.abort(), ms);
    return aborted.signal;
  });
  stubLocks((_name, { signal }) => {
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  });
  let result = 'waiting';
  void createExclusively('login')(async () => 'done').then((done) => {
    result = done;
  });
  await vi.advanceTimersByTimeAsync(11_999);
  expect(result).toBe('waiting');
  await vi.advanceTimersByTimeAsync(1);
  expect(result).toBe('done');
  waits.mockRestore();
});

it('work runs once if the lock is stolen', async () => {
  stubLocks(async (_name, _options, work) => {
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
])('work runs without a lock on %s', async (_, name, navigator) => {
  vi.stubGlobal('navigator', navigator);
  expect(await createExclusively(name)(async () => 'done')).toBe('done');
});
