import { isRecentLogin } from '../mfa/recent-login.ts';
import type { LoginFailureReason } from '../ports/events/login-security-event.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import { type Access, type UserStatus, userStatusOf } from '../users/user-status.ts';
import type { AnyUserStore } from '../users/users.ts';
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
export type LoginRejectionReason =
  | 'invalid_request'
  | 'invalid_scope'
  | Exclude<LoginFailureReason, 'wrong_password' | 'unusable_hash'>;

/** The same, once that was read. */
export type HostRejectionReason = Exclude<
  LoginRejectionReason,
  'invalid_request' | 'invalid_scope'
>;

export type HostGrantOutcome =
  | FinishedLogin
  | { readonly outcome: 'rejected'; readonly reason: HostRejectionReason };

export type HostGrant = (request: HostGrantRequest) => Promise<HostGrantOutcome>;

export interface HostGrantDeps extends FinishLoginDeps {
  readonly users: Pick<AnyUserStore, 'findById'>;
  readonly scopeTable: ScopeTable;
}

/** In the words of logins. */
const REASONS: Readonly<
  Record<Exclude<UserStatus, Extract<Access, { outcome: 'good' }>>['outcome'], HostRejectionReason>
> = {
  user_gone: 'unknown_user',
  user_disabled: 'disabled',
  membership_lost: 'account_denied',
  password_changed: 'password_changed',
};

/**
 * Logs in a user whom the host has authenticated. Nothing is counted against anybody: there is no guess.
 *
 * Concurrency: a login that `revokeAll` overtakes ends in neither a session nor a challenge.
 */
export function createHostGrant(deps: HostGrantDeps): HostGrant {
  const { users, scopeTable, clock, emit } = deps;
  const finishLogin = createFinishLogin(deps);

  return async (request) => {
    const login = await logIn(request);
    if (login.outcome !== 'rejected') return login;
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
    const userStatus = userStatusOf(await users.findById(userId), { accountId, authTimeMs });
    if (userStatus.outcome !== 'good') return rejected(REASONS[userStatus.outcome]);
    // They are for the moment after the user was authenticated, which may be long past. A challenge is another such
    // moment: once its code was shown, they are granted whatever is said here, and what asks for more looks at
    // `auth_time`.
    const stepsUp = scopeTable.stepsUp(scopes);
    const isTooOld = stepsUp && !isRecentLogin({ authTimeMs }, begun.authTimeMs);
    if (isTooOld) return rejected('scope_denied');
    const start = { ...begun, authTimeMs };
    return finishLogin({ ...login, user: userStatus.user, start, actor: 'host' });
  }
}

function rejected(reason: HostRejectionReason): HostGrantOutcome {
  return { outcome: 'rejected', reason };
}
