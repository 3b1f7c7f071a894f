import type { LimiterFactory } from '../storage/limiter.ts';
import { createQuota } from '../throttle/quota.ts';

/** Enough for a user who starts over with every app that they have. */
const MAX_BEGUN = 20;
/** One guess is right with a chance of 2 in 10^6, one of all these with 1 in 25,000. */
const MAX_CODES = 20;
const WINDOW_SECONDS = 600;

/**
 * Limits how many enrolments a user may begin, and how many codes they may try, in ten minutes.
 *
 * Security: somebody else who knows the password may be logged in while the owner enrols. If they guess the code, they
 * get the recovery codes, while the owner's app works as if nothing were wrong. And making a QR code blocks the process
 * for milliseconds.
 */
export interface EnrolmentQuotas {
  /** @throws {AuthError} `too_many_requests` */
  admitBeginning(userId: string): Promise<void>;
  /**
   * Call before the code is looked at.
   *
   * @throws {AuthError} `too_many_requests`
   */
  admitCode(userId: string): Promise<void>;
}

export function createEnrolmentQuotas(limiters: LimiterFactory): EnrolmentQuotas {
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
