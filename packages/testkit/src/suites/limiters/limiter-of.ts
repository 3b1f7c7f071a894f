import assert from 'node:assert/strict';
import type { Limiter, LimiterOptions, LimiterState, Storage } from '@latchhook/core/storage';

/** A limiter of a storage that must have limiters. */
export function limiterOf({ limiters, name }: Storage, options: LimiterOptions): Limiter {
  if (limiters === undefined) assert.fail(`the storage ${name} has no limiters to certify`);
  return limiters(options);
}

/** The counter of `key`; `null` without an open window. */
export async function counterOf(limiter: Limiter, key: string): Promise<LimiterState | null> {
  const [counter] = await limiter.get(key, []);
  if (counter === undefined) assert.fail('get() returned no counter');
  return counter;
}
