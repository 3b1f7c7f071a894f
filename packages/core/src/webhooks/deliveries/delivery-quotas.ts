import type { AccountId } from '../../account-id.ts';
import { accountName } from '../../account-name.ts';
import { DAY_SECONDS } from '../../day.ts';
import type { LimiterFactory } from '../../storage/limiter.ts';
import { createQuota } from '../../throttle/quota.ts';

/** Pings of an account in a minute, over all of its webhooks: enough to test receivers by hand. */
const MAX_PINGS_A_MINUTE = 120;
/**
 * Pings of an account in a day. Pings are stored for the whole retention, so the limit for a minute would still allow
 * gigabytes for each account.
 */
const MAX_PINGS_A_DAY = 1_000;
/** Resends of an account in a minute: enough to resend the items of a list one by one; `recover` is for more. */
const MAX_RESENDS_A_MINUTE = 300;
const MINUTE_SECONDS = 60;

/**
 * Limits the pings and resends of an account in a minute, and its pings in a day, over all of its users and all
 * processes.
 *
 * Security: a ping is the only record that a client can create without limit, and it is stored for as long as any
 * event, even after its webhook is removed. Without quotas one token could fill the storage within an hour, and then
 * nobody could log in. A resend stores nothing new, because the log of a delivery is limited. But a client with a fast
 * receiver could resend without end, and so keep the storage busy.
 */
export interface DeliveryQuotas {
  /** @throws {AuthError} `too_many_requests` */
  admitPing(accountId: AccountId): Promise<void>;
  /**
   * Counts one call that resends, however many deliveries it resends.
   *
   * @throws {AuthError} `too_many_requests`
   */
  admitResend(accountId: AccountId): Promise<void>;
}

/** For the host, whose own code decides how often it calls. */
export const noDeliveryQuotas: DeliveryQuotas = {
  admitPing: async () => {},
  admitResend: async () => {},
};

export function createDeliveryQuotas(limiters: LimiterFactory): DeliveryQuotas {
  const rejection = 'Too many pings; try again later.';
  const countPing = createQuota(limiters, {
    keyPrefix: 'throttle:ping',
    max: MAX_PINGS_A_MINUTE,
    windowSeconds: MINUTE_SECONDS,
    rejection,
  });
  const countPingOfDay = createQuota(limiters, {
    keyPrefix: 'throttle:ping-day',
    max: MAX_PINGS_A_DAY,
    windowSeconds: DAY_SECONDS,
    rejection,
  });
  const countResend = createQuota(limiters, {
    keyPrefix: 'throttle:resend',
    max: MAX_RESENDS_A_MINUTE,
    windowSeconds: MINUTE_SECONDS,
    rejection: 'Too many requests to send again; try again later.',
  });
  return {
    async admitPing(accountId) {
      // Pings that are rejected by the limit for a minute do not count for the day.
      await countPing(accountName(accountId));
      await countPingOfDay(accountName(accountId));
    },
    admitResend: (accountId) => countResend(accountName(accountId)),
  };
}
