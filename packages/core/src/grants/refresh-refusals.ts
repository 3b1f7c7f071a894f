import type { ClientInfo } from '../client-info/client-info.ts';
import { AuthError } from '../errors.ts';
import type { SessionRefusalReason } from '../ports/events/session-security-event.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { SessionRef } from '../storage/session-store.ts';

/** How an authentic refresh token is refused. Each emits the refusal, and answers the error to throw. */
export interface RefreshRefusals {
  /** `error`: that of a token that is not valid, unless given. */
  refused(
    session: SessionRef,
    client: ClientInfo,
    reason: SessionRefusalReason,
    error?: AuthError,
  ): AuthError;
  /** One token was presented too often within its grace. */
  busy(session: SessionRef, client: ClientInfo): AuthError;
  /** A token that had long been exchanged has come back; the session has been ended. */
  reused(session: SessionRef, client: ClientInfo): AuthError;
}

export function refreshRefusals(emit: (event: SecurityEvent) => void): RefreshRefusals {
  function refused(
    { userId, sessionId }: SessionRef,
    client: ClientInfo,
    reason: SessionRefusalReason,
    error: AuthError = invalidRefreshToken(),
  ): AuthError {
    emit({ type: 'session.refused', reason, userId, sessionId, ...client });
    return error;
  }

  return {
    refused,
    busy(session, client) {
      const error = new AuthError('too_many_requests', 'This refresh token is used too often.', {
        retryAfterSeconds: 1,
      });
      return refused(session, client, 'busy', error);
    },
    reused({ userId, sessionId }, client) {
      emit({ type: 'session.reused', userId, sessionId, ...client });
      return invalidRefreshToken();
    },
  };
}

/** One answer for a token that is malformed, unknown, expired, revoked or reused. */
export function invalidRefreshToken(): AuthError {
  return new AuthError('invalid_grant', 'The refresh token is not valid.');
}
