import { isRecentLogin } from '../mfa/recent-login.ts';
import type { LoginFailureReason } from '../ports/events/login-security-event.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import { type UserStatus, userStatusOf } from '../users/entitlement.ts';
import type { AnyUserStore } from '../users/users.ts';
import type { LoginTerms } from './authenticated-login.ts';
import { createFinishLogin, type FinishedLogin, type FinishLoginDeps } from './finish-login.ts';
import { startLogin } from './login-start.ts';

export interface HostGrantRequest extends LoginTerms {
  readonly userId: string;
  readonly amr: readonly string[];
  /** When the host authenticated the user, ms. `undefined`, or a later time than now, means now. */
  readonly authTimeMs: number | undefined;
}

/**
 * Why a user whom the host has authenticated is not logged in. The first two mean that the request is malformed.
 */
export type LoginRejectionReason =
  | 'invalid_request'
  | 'invalid_scope'
  | Exclude<LoginFailureReason, 'wrong_password' | 'unusable_hash'>;

/** Why a well-formed request is rejected. */
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

/** Why a login fails, by the status of its user. */
const REASONS: Readonly<Record<Exclude<UserStatus['outcome'], 'good'>, HostRejectionReason>> = {
  user_gone: 'unknown_user',
  user_disabled: 'disabled',
  membership_lost: 'account_denied',
  password_changed: 'password_changed',
};

/**
 * Logs in a user whom the host has authenticated. Counts no failures, because no secret is guessed here.
 *
 * Concurrency: if `revokeAll` runs during the login, the login creates neither a session nor a challenge.
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
    const startOfCall = startLogin(clock);
    const nowMs = startOfCall.authTimeMs;
    const authTimeMs = Math.min(login.authTimeMs ?? nowMs, nowMs);
    // A password change after `authTimeMs` rejects the login too, because the session would end at the first refresh.
    const userStatus = userStatusOf(await users.findById(userId), { accountId, authTimeMs });
    if (userStatus.outcome !== 'good') return rejection(REASONS[userStatus.outcome]);
    // Step-up scopes need a recent authentication. (The answer to a challenge is not checked for this, because its code
    // is an authentication. Routes that require more read `auth_time`.)
    const isTooOld = scopeTable.stepsUp(scopes) && !isRecentLogin({ authTimeMs }, nowMs);
    if (isTooOld) return rejection('scope_denied');
    const start = { ...startOfCall, authTimeMs };
    return finishLogin({ ...login, user: userStatus.user, start, actor: 'host' });
  }
}

function rejection(reason: HostRejectionReason): HostGrantOutcome {
  return { outcome: 'rejected', reason };
}
