import type { ClientInfo } from '../client-info/client-info.ts';
import { AuthError, notFound } from '../errors.ts';
import type { EnrolmentFailureReason } from '../ports/events/factor-security-event.ts';
import type { SecurityEvent } from '../ports/security-events.ts';

/** The user who enrols a factor, their session, and their client. */
export interface EnrollingLogin {
  readonly userId: string;
  readonly sessionId: string;
  readonly client: ClientInfo;
}

/** The ways in which an enrolment fails. Each method emits the failure and returns the error to throw. */
export interface EnrolmentFailures {
  wrongCode(login: EnrollingLogin): AuthError;
  nonePending(login: EnrollingLogin): AuthError;
  managedElsewhere(login: EnrollingLogin): AuthError;
  /** Returns the error of a quota. Emits the failure only if the quota is exceeded, not if the storage has failed. */
  beyondQuota(login: EnrollingLogin, error: unknown): unknown;
}

export function enrolmentFailures(emit: (event: SecurityEvent) => void): EnrolmentFailures {
  function failed(
    { userId, sessionId, client }: EnrollingLogin,
    reason: EnrolmentFailureReason,
    error: AuthError,
  ): AuthError {
    emit({ type: 'enrolment.failed', userId, sessionId, reason, count: 1, ...client });
    return error;
  }

  return {
    wrongCode: (login) =>
      failed(login, 'wrong_code', new AuthError('invalid_grant', 'The code is wrong.')),
    nonePending: (login) => failed(login, 'none_pending', notFound()),
    managedElsewhere: (login) => failed(login, 'managed_elsewhere', managedElsewhere()),
    beyondQuota(login, error) {
      const isBeyond = error instanceof AuthError && error.code === 'too_many_requests';
      return isBeyond ? failed(login, 'too_many', error) : error;
    },
  };
}

/** The factor of the user store takes precedence, so that an enrolled factor would never be used. */
function managedElsewhere(): AuthError {
  return new AuthError('limit_reached', 'The user has a second factor that is managed elsewhere.');
}
