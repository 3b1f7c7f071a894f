import { findLiveSession } from '../sessions/find-live-session.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import { type UserStatus, userStatusOf } from './entitlement.ts';
import type { AnyUserStore } from './users.ts';

/** The claim `auth_time` is in whole seconds: the login may have been up to this much later, ms. */
const AUTH_TIME_ROUNDING_MS = 999;

/**
 * Checks the login of an access token, and an account, against the current user of the user store. Compares times to
 * the millisecond, because a login in the second in which the password was set may be good (a sign-up logs in right
 * after it) or not (an attacker may have logged in right before it).
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type CheckUserStatus = (
  login: Pick<AccessTokenInfo, 'userId' | 'sessionId' | 'accountId' | 'authTimeMs'>,
) => Promise<UserStatus>;

export interface CheckUserStatusDeps {
  readonly users: Pick<AnyUserStore, 'findById'>;
  readonly sessions: Pick<SessionStore, 'list'>;
}

export function createCheckUserStatus({ users, sessions }: CheckUserStatusDeps): CheckUserStatus {
  return async (login) => {
    const user = await users.findById(login.userId);
    const ifAt = (authTimeMs: number) => userStatusOf(user, { ...login, authTimeMs });
    const ifEarliest = ifAt(login.authTimeMs);
    if (ifEarliest.outcome !== 'password_changed') return ifEarliest;
    const ifLatest = ifAt(login.authTimeMs + AUTH_TIME_ROUNDING_MS);
    if (ifLatest.outcome === 'password_changed') return ifLatest;
    // The password was changed within the second of the login, whose millisecond only the session has.
    const session = await findLiveSession(sessions, login);
    return session ? ifAt(session.authTimeMs) : ifEarliest;
  };
}
