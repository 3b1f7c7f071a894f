import { type Awaitable, isPromise } from '../awaitable.ts';
import type { CallBoundary } from '../faults/call-boundary.ts';
import type { Scope } from '../scope.ts';
import { checkedHostClaims, type HostClaims, NO_HOST_CLAIMS } from '../tokens/host-claims.ts';
import type { User } from '../users/users.ts';

/** The login that an access token is issued for. */
export interface TokenLogin {
  /** The one account that the token acts for, or `null`. */
  readonly accountId: number | null;
  /** Those of the token. */
  readonly scopes: readonly Scope[];
  /** When the user was authenticated, ms; a refresh does not change it. */
  readonly authTimeMs: number;
}

/** The claims that the host adds to an access token. */
export type AccessTokenClaims<Claims extends HostClaims = HostClaims> = (
  user: User,
  login: TokenLogin,
) => Awaitable<Claims>;

/** The same, checked. Answers at once where the host does. */
export type ClaimsOfHost = (user: User, login: TokenLogin) => Awaitable<HostClaims>;

/**
 * Asks the host for its claims, before anything is stored or consumed.
 *
 * @throws {AuthError} `temporarily_unavailable` where it fails or takes too long; `server_error` for claims that cannot
 * be
 */
export function createClaimsOfHost(
  accessTokenClaims: AccessTokenClaims | undefined,
  call: CallBoundary,
): ClaimsOfHost {
  if (accessTokenClaims === undefined) return () => NO_HOST_CLAIMS;
  return (user, { accountId, scopes, authTimeMs }) => {
    const given = call(() => accessTokenClaims(user, { accountId, scopes, authTimeMs }));
    return isPromise(given) ? given.then(checkedHostClaims) : checkedHostClaims(given);
  };
}
