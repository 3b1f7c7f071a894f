import type { AccountId } from '../account-id.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Scope } from '../scopes/scope.ts';
import type { HostClaims } from '../tokens/host-claims.ts';
import type { User } from '../users/users.ts';

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
