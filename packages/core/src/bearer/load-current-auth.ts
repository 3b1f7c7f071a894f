import type { CheckUserStatus } from '../users/check-user-status.ts';
import { accountsFor, isEntitled } from '../users/entitlement.ts';
import type { AnyAuthInfo } from './auth-info.ts';

/**
 * Narrows a credential to what the user store grants its user now; `null` where the user may no longer use it.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type LoadCurrentAuth = (auth: AnyAuthInfo) => Promise<AnyAuthInfo | null>;

/**
 * Security: an access token carries what its user was entitled to when it was issued, up to a day ago. A user who has
 * lost a scope since must not use it to create something that outlives the token.
 */
export function createLoadCurrentAuth(checkUserStatus: CheckUserStatus): LoadCurrentAuth {
  return async (auth) => {
    // The user store was asked already, to accept the token of this very request.
    if (auth.credential === 'personal_access_token') return auth;
    // The route checks its account itself: a user who has lost one may still have others.
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
