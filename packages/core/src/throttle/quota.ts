import { AuthError } from '../errors.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import { secondsToWait } from './seconds-to-wait.ts';

/** How often something may be asked for. */
export interface QuotaSettings {
  /** Of the limiter, whose windows start at the first time each. */
  readonly keyPrefix: string;
  readonly max: number;
  readonly windowSeconds: number;
  /** What whoever asks more often is told. */
  readonly refusal: string;
}

/**
 * Counts one time for a key, whether it is let through or not.
 *
 * @throws {AuthError} `too_many_requests`
 */
export type Quota = (key: string) => Promise<void>;

/** Lets a key through so many times in a window, over all processes that share the limiters. */
export function createQuota(
  limiters: LimiterFactory,
  { keyPrefix, max, windowSeconds, refusal }: QuotaSettings,
): Quota {
  const limiter = limiters({ keyPrefix, duration: windowSeconds });

  return async (key) => {
    const { consumedPoints, msBeforeNext } = await limiter.penalty(key);
    if (consumedPoints <= max) return;
    throw new AuthError('too_many_requests', refusal, {
      retryAfterSeconds: secondsToWait(msBeforeNext),
    });
  };
}
