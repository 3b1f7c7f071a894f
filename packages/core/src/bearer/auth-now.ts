import { isEntitled } from '../grants/entitlement.ts';
import { standingOf } from '../grants/standing.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import type { UserDirectory } from '../users.ts';
import type { AuthInfo } from './auth-info.ts';

/**
 * What a credential opens as the directory has its user now; `null` where the user may not use it any more.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type AuthNow = (auth: AuthInfo) => Promise<AuthInfo | null>;

/** The claim `auth_time` is in whole seconds: the login may have been so much later. */
const AUTH_TIME_ROUNDING_MS = 999;

/**
 * Security: an access token says what its user had when it was issued, up to a day ago. What is made by it and
 * outlives it must not be made by somebody who has lost that since.
 */
export function createAuthNow(users: Pick<UserDirectory, 'findById'>): AuthNow {
  return async (auth) => {
    // Its use has asked, for this very request.
    if (auth.credential === 'personal_access_token') return auth;
    // Which account the request is about, the route finds out: to lose one is not to lose all.
    const login = { accountId: null, authTimeMs: latestAuthTimeMs(auth) };
    const standing = standingOf(await users.findById(auth.userId), login);
    if (standing.outcome !== 'good') return null;
    const { user } = standing;
    return {
      ...auth,
      scopes: auth.scopes.filter((scope) => isEntitled(user, [scope])),
      accounts: [...new Set(user.accounts)],
    };
  };
}

/** In doubt for the login: who signs up is logged in within the second in which the password was set. */
function latestAuthTimeMs({ authTimeMs }: AccessTokenInfo): number {
  return authTimeMs + AUTH_TIME_ROUNDING_MS;
}
