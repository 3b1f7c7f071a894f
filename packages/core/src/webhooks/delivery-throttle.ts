import type { LimiterFactory } from '../storage/limiter.ts';
import { createQuota } from '../throttle/quota.ts';

/** Enough for whoever tries a receiver by hand, in one window of all webhooks of an account. */
const MAX_PINGS = 120;
/**
 * Of a thousand a day for thirty days, the storage has some 450 MB, if all of them fail until they have 15 kB each; of 120 a
 * minute it would have 80 GB.
 */
const MAX_PINGS_A_DAY = 1_000;
/** Enough for whoever looks through a list and sends one by one again; more at once is what `recover` is for. */
const MAX_RESENDS = 300;
const MINUTE_SECONDS = 60;
const DAY_SECONDS = 24 * 60 * MINUTE_SECONDS;

/**
 * Lets an account have so much sent in a minute, and pinged in a day, by all of its users and processes together.
 *
 * Security: a ping is the one thing that a client can have us store as often as it asks, and it is kept for as
 * long as any event, even when its webhook is removed. Without bounds one token fills the storage within an
 * hour, and with it everybody's logins end. What is sent again is stored already, and its log has bounds of its own;
 * but its receiver, who may be the client, ends each attempt at once, and so the storage would be asked without end.
 */
export interface DeliveryThrottle {
  /** @throws {AuthError} `too_many_requests` */
  admitPing(accountId: number): Promise<void>;
  /**
   * For one call that sends again, however much that is.
   *
   * @throws {AuthError} `too_many_requests`
   */
  admitResend(accountId: number): Promise<void>;
}

export function createDeliveryThrottle(limiters: LimiterFactory): DeliveryThrottle {
  const refusal = 'Too many pings; try again later.';
  const pings = createQuota(limiters, {
    keyPrefix: 'throttle:ping',
    max: MAX_PINGS,
    windowSeconds: MINUTE_SECONDS,
    refusal,
  });
  const pingsOfDay = createQuota(limiters, {
    keyPrefix: 'throttle:ping-day',
    max: MAX_PINGS_A_DAY,
    windowSeconds: DAY_SECONDS,
    refusal,
  });
  const resends = createQuota(limiters, {
    keyPrefix: 'throttle:resend',
    max: MAX_RESENDS,
    windowSeconds: MINUTE_SECONDS,
    refusal: 'Too many requests to send again; try again later.',
  });
  return {
    async admitPing(accountId) {
      // Those that are refused for the minute do not count for the day.
      await pings(String(accountId));
      await pingsOfDay(String(accountId));
    },
    admitResend: (accountId) => resends(String(accountId)),
  };
}
