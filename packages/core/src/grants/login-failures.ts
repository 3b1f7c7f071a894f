import type { ClientInfo } from '../client-info/client-info.ts';
import { AuthError } from '../errors.ts';
import type { LoginFailureReason } from '../ports/events/login-security-event.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { Throttled } from '../throttle/login-throttle.ts';
import { secondsToWait } from '../throttle/seconds-to-wait.ts';
import { type Denial, denied } from '../users/entitlement.ts';

/** The username of a login, and its client. */
export interface LoginAttempt {
  readonly username: string;
  readonly client: ClientInfo;
}

/** The ways in which a login by password fails. Each method emits the failure and returns the error to throw. */
export interface LoginFailures {
  /**
   * The same error for every reason, so that clients cannot tell them apart. `userId`: `null` if no user has the name.
   */
  rejected(attempt: LoginAttempt, userId: string | null, reason: LoginFailureReason): AuthError;
  /** The password is right, but the user lacks the requested account or scope. */
  denied(attempt: LoginAttempt, userId: string, denial: Denial): AuthError;
  throttled(attempt: LoginAttempt, throttled: Throttled): AuthError;
  /** More passwords wait to be hashed than the machine can handle. */
  shed(attempt: LoginAttempt, reason: 'queue_full' | 'wait_too_long'): AuthError;
}

export function loginFailures(emit: (event: SecurityEvent) => void): LoginFailures {
  return {
    rejected({ username, client }, userId, reason) {
      emit({ type: 'login.failed', username, userId, reason, actor: 'user', ...client });
      return new AuthError('invalid_grant', 'The username or the password is wrong.');
    },
    denied({ username, client }, userId, denial) {
      emit({ type: 'login.failed', username, userId, reason: denial, actor: 'user', ...client });
      return denied(denial);
    },
    throttled({ username, client }, { reason, retryAfterMs }) {
      const retryAfterSeconds = secondsToWait(retryAfterMs);
      emit({ type: 'login.throttled', username, reason, retryAfterSeconds, ...client });
      return new AuthError('too_many_requests', 'Too many failed logins; try again later.', {
        retryAfterSeconds,
      });
    },
    shed({ username, client }, reason) {
      emit({ type: 'login.shed', username, reason, ...client });
      return new AuthError('temporarily_unavailable', 'Too many logins at once; try again.', {
        reason: `the hash queue is full: ${reason}`,
        retryAfterSeconds: 1,
      });
    },
  };
}
