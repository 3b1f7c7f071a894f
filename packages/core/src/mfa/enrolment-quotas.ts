import type { LimiterFactory } from '../storage/limiter.ts';
import { createQuota } from '../throttle/quota.ts';

/** Enough for a user who starts over with every app that they have. */
const MAX_BEGUN = 20;
/** Of all sessions of a user: limits how many enrolments are pending at a time. */
const MAX_BEGUN_BY_USER = 200;
const MAX_CODES = 20;
const WINDOW_SECONDS = 600;

/**
 * Limits how many enrolments a session may begin, and how many codes it may try, in ten minutes.
 *
 * Security: by session, since somebody else who knows the password may be logged in while the owner enrols, and must
 * not use up the owner's attempts. Guesses gain nothing: a session confirms only what it has begun, whose secret it
 * knows. Beginnings are limited since making a QR code blocks the process for milliseconds.
 */
export interface EnrolmentQuotas {
  /** @throws {AuthError} `too_many_requests` */
  admitBeginning(userId: string, sessionId: string): Promise<void>;
  /**
   * Call before the code is checked.
   *
   * @throws {AuthError} `too_many_requests`
   */
  admitCode(sessionId: string): Promise<void>;
}

export function createEnrolmentQuotas(limiters: LimiterFactory): EnrolmentQuotas {
  const quota = (keyPrefix: string, max: number) =>
    createQuota(limiters, {
      keyPrefix,
      max,
      windowSeconds: WINDOW_SECONDS,
      rejection: 'Too many attempts to enrol; try again later.',
    });
  const bySession = quota('throttle:enrolment', MAX_BEGUN);
  const byUser = quota('throttle:enrolment-user', MAX_BEGUN_BY_USER);
  return {
    async admitBeginning(userId, sessionId) {
      // One after the other: what exceeds the session's quota must not count against the user.
      await bySession(sessionId);
      await byUser(userId);
    },
    admitCode: quota('throttle:enrolment-code', MAX_CODES),
  };
}
