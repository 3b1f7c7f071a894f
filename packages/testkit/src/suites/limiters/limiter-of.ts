import assert from 'node:assert/strict';
import type { Limiter, LimiterOptions, LimiterState, Storage } from '@latchhook/core/storage';
import { partOf } from '../../fixtures/fixture.ts';

/** A limiter of a storage that must have limiters. */
export function limiterOf(storage: Storage, options: LimiterOptions): Limiter {
  return partOf(storage, 'limiters')(options);
}

/** How long a test may take on a busy machine, seconds. */
const SLACK_S = 30;

/** Asserts that a window or lock has just begun, and lasts for so many seconds. */
export function assertJustBegun(state: LimiterState | null, seconds: number): void {
  const remainingMs = state?.msBeforeNext ?? 0;
  assert.ok(
    remainingMs > (seconds - SLACK_S) * 1000 && remainingMs <= seconds * 1000,
    `${remainingMs} ms`,
  );
}

/** The counter of `key`; `null` without an open window. */
export async function counterOf(limiter: Limiter, key: string): Promise<LimiterState | null> {
  const [counter] = await limiter.get(key, []);
  if (counter === undefined) assert.fail('get() returned no counter');
  return counter;
}
