import { AuthError } from '../errors.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import { secondsToWait } from './seconds-to-wait.ts';

/** How often something may be requested. */
export interface QuotaSettings {
  /** The prefix of the limiter. The window of a key starts when the key is first counted. */
  readonly keyPrefix: string;
  readonly max: number;
  readonly windowSeconds: number;
  /** The error description for a client that exceeds the quota. */
  readonly rejection: string;
}

/**
 * Counts one request for a key, even if it is rejected.
 *
 * @throws {AuthError} `too_many_requests`
 */
export type Quota = (key: string) => Promise<void>;

/** Admits a key `max` times in a window, over all processes that share the limiters. */
export function createQuota(
  limiters: LimiterFactory,
  { keyPrefix, max, windowSeconds, rejection }: QuotaSettings,
): Quota {
  const limiter = limiters({ keyPrefix, duration: windowSeconds });

  return async (key) => {
    const { consumedPoints, msBeforeNext } = await limiter.penalty(key);
    if (consumedPoints <= max) return;
    throw new AuthError('too_many_requests', rejection, {
      retryAfterSeconds: secondsToWait(msBeforeNext),
    });
  };
}
