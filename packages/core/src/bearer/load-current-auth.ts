import type { CheckUserStatus } from '../users/check-user-status.ts';
import { accountsFor, isEntitled } from '../users/entitlement.ts';
import type { AnyAuthInfo } from './auth-info.ts';

/**
 * What a credential may do by what the user store says of its user now; `null` where the user may no longer use it.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type LoadCurrentAuth = (auth: AnyAuthInfo) => Promise<AnyAuthInfo | null>;

/**
 * Security: an access token says what its user was entitled to when it was issued, up to a day ago. Somebody who has
 * lost that since must not use it to make what outlives it.
 */
export function createLoadCurrentAuth(checkUserStatus: CheckUserStatus): LoadCurrentAuth {
  return async (auth) => {
    // The user store was asked already, when this very request used the token.
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
