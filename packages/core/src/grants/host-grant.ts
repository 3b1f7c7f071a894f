import { isRecentLogin } from '../mfa/recent-login.ts';
import type { LoginFailureReason } from '../ports/events/login-security-event.ts';
import { type Access, type Standing, standingOf } from '../users/standing.ts';
import type { UserDirectory } from '../users/users.ts';
import type { LoginTerms } from './authenticated-login.ts';
import { createFinishLogin, type FinishedLogin, type FinishLoginDeps } from './finish-login.ts';
import { startLogin } from './login-start.ts';

export interface HostGrantRequest extends LoginTerms {
  readonly userId: string;
  readonly amr: readonly string[];
  /** `undefined`, or later than now: now. */
  readonly authTimeMs: number | undefined;
}

/**
 * Why a user whom the host has authenticated is not logged in. The first two: what the client asks for is malformed.
 */
export type LoginRefusalReason =
  | 'invalid_request'
  | 'invalid_scope'
  | Exclude<LoginFailureReason, 'wrong_password' | 'unusable_hash'>;

/** The same, once that was read. */
export type HostRefusalReason = Exclude<LoginRefusalReason, 'invalid_request' | 'invalid_scope'>;

export type HostGrantOutcome =
  | FinishedLogin
  | { readonly outcome: 'refused'; readonly reason: HostRefusalReason };

export type HostGrant = (request: HostGrantRequest) => Promise<HostGrantOutcome>;

export interface HostGrantDeps extends FinishLoginDeps {
  readonly users: Pick<UserDirectory, 'findById'>;
}

/** In the words of logins. */
const REASONS: Readonly<
  Record<Exclude<Standing, Extract<Access, { outcome: 'good' }>>['outcome'], HostRefusalReason>
> = {
  user_gone: 'unknown_user',
  user_disabled: 'disabled',
  membership_lost: 'account_denied',
  password_changed: 'password_changed',
};

/**
 * Logs in a user for whom the host vouches. Nothing is counted against anybody: there is no guess.
 *
 * Concurrency: a login that `revokeAll` overtakes ends in neither a session nor a challenge.
 */
export function createHostGrant(deps: HostGrantDeps): HostGrant {
  const { users, clock, emit } = deps;
  const finishLogin = createFinishLogin(deps);

  return async (request) => {
    const login = await logIn(request);
    if (login.outcome !== 'refused') return login;
    const { userId, client } = request;
    const { reason } = login;
    emit({ type: 'login.failed', username: null, userId, reason, actor: 'host', ...client });
    return login;
  };

  async function logIn({ userId, ...login }: HostGrantRequest): Promise<HostGrantOutcome> {
    const { accountId, scopes } = login;
    const begun = startLogin(clock);
    const authTimeMs = Math.min(login.authTimeMs ?? begun.authTimeMs, begun.authTimeMs);
    // The password counts too: a session from before its change would end at the first refresh.
    const standing = standingOf(await users.findById(userId), { accountId, authTimeMs });
    if (standing.outcome !== 'good') return refused(REASONS[standing.outcome]);
    // It is for the moment after the user was authenticated, which may be long past. A challenge is another such
    // moment: once its code was shown, `auth` is granted whatever is said here, and what asks for more looks at
    // `auth_time`.
    const isTooOld = scopes.includes('auth') && !isRecentLogin({ authTimeMs }, begun.authTimeMs);
    if (isTooOld) return refused('scope_denied');
    const start = { ...begun, authTimeMs };
    return finishLogin({ ...login, user: standing.user, start, actor: 'host' });
  }
}

function refused(reason: HostRefusalReason): HostGrantOutcome {
  return { outcome: 'refused', reason };
}
