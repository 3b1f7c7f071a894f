import {
  type Limiter,
  type LimiterFactory,
  type LimiterOptions,
  mapMethods,
  STORE_METHODS,
} from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import { faultyStorage } from './faulty-storage.ts';

/**
 * The reference with some faulty methods of `limiters`.
 *
 * @param change - Gets the limiter of the reference, its options, and a function that makes other limiters.
 */
export function faultyLimiters(
  change: (limiter: Limiter, options: LimiterOptions, limiters: LimiterFactory) => Partial<Limiter>,
): StorageHarness {
  return faultyStorage(({ limiters }) => ({
    limiters: (options) => {
      const limiter = limiters(options);
      // Copies the methods, because a spread does not copy the methods of a class.
      const methods = mapMethods(limiter, STORE_METHODS.limiters, (call) => call());
      return { ...methods, ...change(limiter, options, limiters) };
    },
  }));
}
