import { type AccountId, accountName } from '../../account-id.ts';
import { DAY_SECONDS } from '../../day.ts';
import type { LimiterFactory } from '../../storage/limiter.ts';
import { createQuota } from '../../throttle/quota.ts';

/** Pings of an account, over all of its webhooks, in a minute: enough for trying out receivers by hand. */
const MAX_PINGS = 120;
/**
 * At a thousand a day, kept for thirty days, pings take some 90 MB of the storage if all fail and grow to 3 kB each; at
 * 120 a minute they would take 16 GB.
 */
const MAX_PINGS_A_DAY = 1_000;
/** Resends of an account in a minute: enough for going through a list one by one; for more there is `recover`. */
const MAX_RESENDS = 300;
const MINUTE_SECONDS = 60;

/**
 * Bounds how often an account may have something sent in a minute, and pings in a day, over all of its users and over
 * all processes.
 *
 * Security: a ping is the one thing that a client can have us store as often as it asks, and it is kept for as long as
 * any event, even when its webhook is removed. Without bounds one token could fill the storage within an hour, and end
 * everybody's logins. A resend stores nothing new, and the log of a delivery is bounded; but its receiver, which may be
 * the client's own, can end each attempt at once, and so keep the storage busy without end.
 */
export interface DeliveryQuotas {
  /** @throws {AuthError} `too_many_requests` */
  admitPing(accountId: AccountId): Promise<void>;
  /**
   * For one call that sends again, however much that is.
   *
   * @throws {AuthError} `too_many_requests`
   */
  admitResend(accountId: AccountId): Promise<void>;
}

/** For the host, whose own code decides how often it asks. */
export const noDeliveryQuotas: DeliveryQuotas = {
  admitPing: async () => {},
  admitResend: async () => {},
};

export function createDeliveryQuotas(limiters: LimiterFactory): DeliveryQuotas {
  const rejection = 'Too many pings; try again later.';
  const pings = createQuota(limiters, {
    keyPrefix: 'throttle:ping',
    max: MAX_PINGS,
    windowSeconds: MINUTE_SECONDS,
    rejection,
  });
  const pingsOfDay = createQuota(limiters, {
    keyPrefix: 'throttle:ping-day',
    max: MAX_PINGS_A_DAY,
    windowSeconds: DAY_SECONDS,
    rejection,
  });
  const resends = createQuota(limiters, {
    keyPrefix: 'throttle:resend',
    max: MAX_RESENDS,
    windowSeconds: MINUTE_SECONDS,
    rejection: 'Too many requests to send again; try again later.',
  });
  return {
    async admitPing(accountId) {
      // Those that are rejected for the minute do not count for the day.
      await pings(accountName(accountId));
      await pingsOfDay(accountName(accountId));
    },
    admitResend: (accountId) => resends(accountName(accountId)),
  };
}
