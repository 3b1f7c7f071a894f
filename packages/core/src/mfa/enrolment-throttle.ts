import type { LimiterFactory } from '../storage/limiter.ts';
import { createQuota } from '../throttle/quota.ts';

/** Enough for whoever starts over with every app that they have. */
const MAX_BEGUN = 20;
/** A guess is right with 2 in 10^6, so all of them are with 1 in 25,000. */
const MAX_CODES = 20;
const WINDOW_SECONDS = 600;

/**
 * Lets a user begin so many enrolments, and try so many codes, in ten minutes.
 *
 * Security: somebody else who knows the password may be logged in while the owner enrols. A guess of theirs that
 * is right is answered the recovery codes, while the owner's app works as if nothing were wrong. And a QR code
 * keeps the process for milliseconds, in which it does nothing else.
 */
export interface EnrolmentThrottle {
  /** @throws {AuthError} `too_many_requests` */
  admitBeginning(userId: string): Promise<void>;
  /**
   * To be asked before the code is looked at.
   *
   * @throws {AuthError} `too_many_requests`
   */
  admitCode(userId: string): Promise<void>;
}

export function createEnrolmentThrottle(limiters: LimiterFactory): EnrolmentThrottle {
  const shared = {
    windowSeconds: WINDOW_SECONDS,
    refusal: 'Too many attempts to enrol; try again later.',
  };
  return {
    admitBeginning: createQuota(limiters, {
      keyPrefix: 'throttle:enrolment',
      max: MAX_BEGUN,
      ...shared,
    }),
    admitCode: createQuota(limiters, {
      keyPrefix: 'throttle:enrolment-code',
      max: MAX_CODES,
      ...shared,
    }),
  };
}
