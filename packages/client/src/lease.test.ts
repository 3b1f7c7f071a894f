import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLease } from './lease.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const KEY = 'latchhook:login';

function fixture() {
  const values = new Map<string, string>();
  const area = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
  const events: string[] = [];
  /** Works for a second, as a tab of its own. */
  const work = (name: string) =>
    createLease(
      area,
      KEY,
    )(async () => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      events.push(`${name} ends`);
    });
  return { area, events, work };
}

it('a lease is held by one tab at a time, and removed by the last tab', async () => {
  const { area, events, work } = fixture();
  const done = Promise.all([work('a'), work('b')]);
  await vi.runAllTimersAsync();
  await done;
  expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  expect(area.getItem(KEY)).toBeNull();
});

it('a lease expires twelve seconds after its tab was closed', async () => {
  const { area, events, work } = fixture();
  area.setItem(KEY, `${Date.now() + 12_000} of a tab that is gone`);
  const done = work('a');
  await vi.advanceTimersByTimeAsync(11_900);
  expect(events).toEqual([]);
  await vi.runAllTimersAsync();
  await done;
  expect(events).toHaveLength(2);
});

it('a lease from before the clock was set back delays no tab', async () => {
  const { area, events, work } = fixture();
  area.setItem(KEY, `${Date.now() + 3_600_000} of yesterday`);
  const done = work('a');
  await vi.advanceTimersByTimeAsync(100);
  expect(events).toEqual(['a begins']);
  await vi.runAllTimersAsync();
  await done;
});

it('work runs without a lease if the storage cannot be written, and its rejection is passed on', async () => {
  const { area } = fixture();
  area.setItem = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  const failed = createLease(area, KEY)(() => Promise.reject(new Error('rejected')));
  await expect(failed).rejects.toThrow('rejected');
});
