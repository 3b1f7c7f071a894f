import { accountsOf, isEntitled } from '../grants/entitlement.ts';
import type { LoginStanding } from '../grants/login-standing.ts';
import type { AuthInfo } from './auth-info.ts';

/**
 * What a credential opens as the directory has its user now; `null` where the user may not use it any more.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type AuthNow = (auth: AuthInfo) => Promise<AuthInfo | null>;

/**
 * Security: an access token says what its user had when it was issued, up to a day ago. What is made by it and
 * outlives it must not be made by somebody who has lost that since.
 */
export function createAuthNow(loginStanding: LoginStanding): AuthNow {
  return async (auth) => {
    // Its use has asked, for this very request.
    if (auth.credential === 'personal_access_token') return auth;
    // Which account the request is about, the route finds out: to lose one is not to lose all.
    const standing = await loginStanding({ ...auth, accountId: null });
    if (standing.outcome !== 'good') return null;
    const { user } = standing;
    return {
      ...auth,
      scopes: auth.scopes.filter((scope) => isEntitled(user, [scope])),
      accounts: accountsOf(user),
    };
  };
}
