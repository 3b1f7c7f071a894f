import type { ClientInfo } from '../client-info/client-info.ts';
import { AuthError } from '../errors.ts';
import type { SessionRejectionReason } from '../ports/events/session-security-event.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { SessionGrant, SessionRef } from '../storage/session-store.ts';

type BoundSession = SessionRef & Pick<SessionGrant, 'accountId'>;

/** How an authentic refresh token is rejected. Each emits the rejection, and returns the error to throw. */
export interface RefreshRejections {
  /** `error` defaults to that of an invalid token. */
  rejected(
    session: SessionRef,
    client: ClientInfo,
    reason: SessionRejectionReason,
    error?: AuthError,
  ): AuthError;
  /** One token was presented too often within its grace. */
  busy(session: SessionRef, client: ClientInfo): AuthError;
  /** A token that had long been exchanged has come back; the session has been ended. */
  reused(session: BoundSession, client: ClientInfo): AuthError;
}

export function refreshRejections(emit: (event: SecurityEvent) => void): RefreshRejections {
  function rejected(
    { userId, sessionId }: SessionRef,
    client: ClientInfo,
    reason: SessionRejectionReason,
    error: AuthError = invalidRefreshToken(),
  ): AuthError {
    emit({ type: 'session.rejected', reason, userId, sessionId, ...client });
    return error;
  }

  return {
    rejected,
    busy(session, client) {
      const error = new AuthError('too_many_requests', 'This refresh token is used too often.', {
        retryAfterSeconds: 1,
      });
      return rejected(session, client, 'busy', error);
    },
    reused({ userId, sessionId, accountId }, client) {
      emit({ type: 'session.reused', userId, sessionId, accountId, ...client });
      return invalidRefreshToken();
    },
  };
}

/** One error for a token that is malformed, unknown, expired, revoked or reused. */
export function invalidRefreshToken(): AuthError {
  return new AuthError('invalid_grant', 'The refresh token is not valid.');
}
