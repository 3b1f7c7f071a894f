import type { AccountId } from '../account-id.ts';
import type { CallGuard } from '../faults/call-guard.ts';
import { type MaybePromise, whenResolved } from '../maybe-promise.ts';
import type { Scope } from '../scopes/scope.ts';
import { checkedHostClaims, type HostClaims, NO_HOST_CLAIMS } from '../tokens/host-claims.ts';
import type { AnyUser, User } from '../users/users.ts';

/** The login that an access token is issued for. */
export interface TokenLogin<Scopes extends string = Scope, Id extends AccountId = number> {
  /** The account that the token is bound to; `null` if it is bound to none. */
  readonly accountId: Id | null;
  /** The scopes of the token. */
  readonly scopes: readonly Scopes[];
  /** When the user was authenticated, ms; a refresh does not change this time. */
  readonly authTimeMs: number;
}

/** The claims that the host adds to an access token. */
export type AccessTokenClaims<
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> = (user: User<Scopes, Id>, login: TokenLogin<Scopes, Id>) => MaybePromise<Claims>;

/** Calls {@link AccessTokenClaims} and checks the result. Returns a promise only if the host does. */
export type ClaimsOfHost = (
  user: AnyUser,
  login: TokenLogin<Scope, AccountId>,
) => MaybePromise<HostClaims>;

/**
 * Asks the host for its claims. Call this before anything is stored or consumed.
 *
 * @throws {AuthError} `temporarily_unavailable` if the host fails or times out; `server_error` for invalid claims
 */
export function createClaimsOfHost(
  accessTokenClaims: AccessTokenClaims<HostClaims, Scope, AccountId> | undefined,
  call: CallGuard,
): ClaimsOfHost {
  if (accessTokenClaims === undefined) return () => NO_HOST_CLAIMS;
  return (user, { accountId, scopes, authTimeMs }) => {
    // A copy, because the host may change the list, and the token has the scopes of the original.
    const login = { accountId, scopes: [...scopes], authTimeMs };
    return whenResolved(
      call(() => accessTokenClaims(user, login)),
      checkedHostClaims,
    );
  };
}
