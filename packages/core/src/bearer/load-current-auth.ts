import { accountsFor, isEntitled } from '../users/entitlement.ts';
import type { LoginStanding } from '../users/login-standing.ts';
import type { AuthInfo } from './auth-info.ts';

/**
 * What a credential may do by what the directory says of its user now; `null` where the user may no longer use it.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type LoadCurrentAuth = (auth: AuthInfo) => Promise<AuthInfo | null>;

/**
 * Security: an access token says what its user was entitled to when it was issued, up to a day ago. Somebody who has
 * lost that since must not use it to make what outlives it.
 */
export function createLoadCurrentAuth(loginStanding: LoginStanding): LoadCurrentAuth {
  return async (auth) => {
    // The directory was asked already, when this very request used the token.
    if (auth.credential === 'personal_access_token') return auth;
    // The route checks its account itself: a user who has lost one may still have others.
    const standing = await loginStanding({ ...auth, accountId: null });
    if (standing.outcome !== 'good') return null;
    const { user } = standing;
    return {
      ...auth,
      scopes: auth.scopes.filter((scope) => isEntitled(user, [scope])),
      accounts: accountsFor(user, auth.accountId),
    };
  };
}
