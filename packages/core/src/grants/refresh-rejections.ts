import type { ClientInfo } from '../client-info/client-info.ts';
import { AuthError } from '../errors.ts';
import type { SessionRejectionReason } from '../ports/events/session-security-event.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { SessionGrant, SessionRef } from '../storage/session-store.ts';

type BoundSession = SessionRef & Pick<SessionGrant, 'accountId'>;

/**
 * The ways in which an authentic refresh token is rejected. Each method emits an event and returns the error to throw.
 */
export interface RefreshRejections {
  /** `error` defaults to {@link invalidRefreshToken}. */
  rejected(
    session: SessionRef,
    client: ClientInfo,
    reason: SessionRejectionReason,
    error?: AuthError,
  ): AuthError;
  /** The token was presented too often within its grace. */
  busy(session: SessionRef, client: ClientInfo): AuthError;
  /** The token had been exchanged before, and its grace has passed; the store has ended the session. */
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

/** The same error for a token that is malformed, unknown, expired, revoked or reused. */
export function invalidRefreshToken(): AuthError {
  return new AuthError('invalid_grant', 'The refresh token is not valid.');
}
