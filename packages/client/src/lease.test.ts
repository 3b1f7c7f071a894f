import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLease } from './lease.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const LEASE_MS = 12_000;
const PROPAGATION_MS = 100;
const HOUR_MS = 3_600_000;
const KEY = 'latchhook:login';

function fixture() {
  const values = new Map<string, string>();
  const area = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
  const events: string[] = [];
  /** Runs work of one second under the lease, as a separate tab would. */
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

it('a lease is held by one tab at a time and removed when the work ends', async () => {
  const { area, events, work } = fixture();
  const bothEnded = Promise.all([work('a'), work('b')]);
  await vi.runAllTimersAsync();
  await bothEnded;
  expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  expect(area.getItem(KEY)).toBeNull();
});

it('a lease of a closed tab blocks other tabs for twelve seconds', async () => {
  const { area, events, work } = fixture();
  area.setItem(KEY, `${Date.now() + LEASE_MS} of a closed tab`);
  const done = work('a');
  await vi.advanceTimersByTimeAsync(LEASE_MS - PROPAGATION_MS);
  expect(events).toEqual([]);
  await vi.runAllTimersAsync();
  await done;
  expect(events).toHaveLength(2);
});

it('a lease blocks no tab if it ends later than a new lease would, as after the clock was set back', async () => {
  const { area, events, work } = fixture();
  area.setItem(KEY, `${Date.now() + HOUR_MS} of a closed tab`);
  const done = work('a');
  await vi.advanceTimersByTimeAsync(PROPAGATION_MS);
  expect(events).toEqual(['a begins']);
  await vi.runAllTimersAsync();
  await done;
});

it('work runs without a lease if localStorage cannot be written', async () => {
  const { area } = fixture();
  area.setItem = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  // Only the work itself can reject with this error.
  const rejectedWork = createLease(area, KEY)(() => Promise.reject(new Error('rejected')));
  await expect(rejectedWork).rejects.toThrow('rejected');
});
