import type { AccountId } from '../account-id.ts';
import type { AuthResponse } from '../http/messages.ts';
import type { RequestHead } from '../http/request-head.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Scope } from '../scopes/scope.ts';
import type { HostClaims } from '../tokens/host-claims.ts';
import type { AuthInfo } from './auth-info.ts';

/** What a route requires of a bearer token. */
export interface BearerRequirement<
  Scopes extends string = Scope,
  Id extends AccountId = AccountId,
> {
  /** The scope, or scopes, all of which the token must carry. Default: none beyond a valid token. */
  readonly scope?: Scopes | readonly Scopes[];
  /** The kind of credential that it must be: `access_token` keeps scripts of the user's out. Default: any. */
  readonly credential?: AuthInfo['credential'];
  /**
   * The account that the request is about: must be one of the user's, and the bound one where the token is bound. Leave
   * it out for a route that is about no account.
   *
   * Security: a route that names an account but cannot say which (`undefined`, `NaN`) lets nobody pass.
   */
  readonly accountId?: Id | undefined;
  /**
   * Ask the store whether the session is live, for every token. Without it only tokens that carry `admin`, `internal`,
   * `auth` or a scope that is `sensitive` are checked. Where it is checked, a storage fault is 503. A personal access
   * token is looked up at every use anyway, except within `personalAccessTokens.staleSeconds`, which this overrides.
   */
  readonly checkSession?: boolean;
}

/**
 * The result of the check: whose request it is, or the answer to send: 400, 401, 403, 503, or 500 after a `fault`
 * event.
 */
export type BearerOutcome<
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> =
  | { readonly outcome: 'passed'; readonly auth: AuthInfo<Claims, Scopes, Id> }
  | { readonly outcome: 'rejected'; readonly response: AuthResponse };

/** The bearer check that `requireAuth` runs. It builds no {@link AuthRequest}, since it runs on every request. */
export interface Bearer<
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> {
  /** The scopes that a requirement can name. */
  readonly scopes: readonly Scopes[];
  /**
   * Checks the `Authorization` header as {@link soleAuthorization} gives it. Returns without a promise if the token is
   * in the cache and the session need not be checked. Never throws, never rejects.
   *
   * @param head - the request with its cookies; absent: cookies do not count
   */
  check(
    authorization: string | undefined,
    requirement: BearerRequirement<Scopes, Id>,
    head?: RequestHead,
  ): MaybePromise<BearerOutcome<Claims, Scopes, Id>>;
}
