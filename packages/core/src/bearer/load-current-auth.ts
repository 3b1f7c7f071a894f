import type { CheckUserStatus } from '../users/check-user-status.ts';
import { accountsFor, isEntitled } from '../users/entitlement.ts';
import type { AnyAuthInfo } from './auth-info.ts';

/**
 * Narrows a credential to the scopes and accounts that its user still has; `null` if the user may no longer use it.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type LoadCurrentAuth = (auth: AnyAuthInfo) => Promise<AnyAuthInfo | null>;

/**
 * Security: an access token carries the scopes and accounts that its user had when it was issued, up to a day ago. A
 * user who has lost a scope since then must not create something that outlives the token.
 */
export function createLoadCurrentAuth(checkUserStatus: CheckUserStatus): LoadCurrentAuth {
  return async (auth) => {
    // Authentication has looked the user up already, in this very request.
    if (auth.credential === 'personal_access_token') return auth;
    // `null`: the route checks its account itself, because a user who has lost one account may still have others.
    const userStatus = await checkUserStatus({ ...auth, accountId: null });
    if (userStatus.outcome !== 'good') return null;
    const { user } = userStatus;
    return {
      ...auth,
      scopes: auth.scopes.filter((scope) => isEntitled(user, [scope])),
      accounts: accountsFor(user, auth.accountId),
    };
  };
}
