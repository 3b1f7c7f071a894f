import { AuthError } from '../errors.ts';
import type { LimiterFactory } from '../storage/limiter.ts';

/** Enough for whoever tries a receiver by hand, in one window of all webhooks of an account. */
const MAX_PINGS = 120;
const WINDOW_SECONDS = 60;

/**
 * Lets an account send so many pings a minute.
 *
 * Security: a ping is the one thing that a client can have us store as often as it asks, and it is kept for as
 * long as any event, even when its webhook is removed. Without bounds one token fills the storage within an
 * hour, and with it everybody's logins end.
 */
export interface PingThrottle {
  /** @throws {AuthError} `too_many_requests` */
  admit(accountId: number): Promise<void>;
}

export function createPingThrottle(limiters: LimiterFactory): PingThrottle {
  const pings = limiters({ keyPrefix: 'throttle:ping', duration: WINDOW_SECONDS });

  return {
    async admit(accountId) {
      const { consumedPoints, msBeforeNext } = await pings.penalty(String(accountId));
      if (consumedPoints <= MAX_PINGS) return;
      throw new AuthError('too_many_requests', 'Too many pings; try again later.', {
        retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
      });
    },
  };
}
