import type { LimiterFactory } from '../storage/limiter.ts';
import { createQuota } from '../throttle/quota.ts';

/** Per session: enough for a user who begins again with several authenticator apps. */
const MAX_BEGINNINGS_OF_SESSION = 20;
/** Per user, over all sessions: limits how many enrolments are pending at a time. */
const MAX_BEGINNINGS_OF_USER = 200;
const MAX_CODES_OF_SESSION = 20;
const WINDOW_SECONDS = 600;

/**
 * Limits how many enrolments a session may begin, and how many codes it may send, in ten minutes.
 *
 * Security: the limits are per session, because an attacker who knows the password may be logged in while the owner
 * enrols, and must not use up the owner's attempts. More sessions give the attacker no more guesses, because a session
 * confirms only its own enrolment, whose secret it already has. Beginnings are limited because the computation of a QR
 * code blocks the process for milliseconds.
 */
export interface EnrolmentQuotas {
  /** @throws {AuthError} `too_many_requests` */
  admitBeginning(userId: string, sessionId: string): Promise<void>;
  /**
   * Call this before the code is checked.
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
  const admitSession = quota('throttle:enrolment', MAX_BEGINNINGS_OF_SESSION);
  const admitUser = quota('throttle:enrolment-user', MAX_BEGINNINGS_OF_USER);
  return {
    async admitBeginning(userId, sessionId) {
      // In sequence: a beginning beyond the quota of its session must not count against the user.
      await admitSession(sessionId);
      await admitUser(userId);
    },
    admitCode: quota('throttle:enrolment-code', MAX_CODES_OF_SESSION),
  };
}
