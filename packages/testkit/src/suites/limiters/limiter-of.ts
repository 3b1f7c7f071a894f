import assert from 'node:assert/strict';
import type { Limiter, LimiterOptions, Storage } from '@latchhook/core/storage';

/** A limiter of a storage that must have limiters. */
export function limiterOf({ limiters, name }: Storage, options: LimiterOptions): Limiter {
  if (limiters === undefined) assert.fail(`the storage ${name} has no limiters to certify`);
  return limiters(options);
}
