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
  /** The scope or scopes, all of which the token must have. Default: none. */
  readonly scope?: Scopes | readonly Scopes[];
  /** The kind of credential that the route accepts: `access_token` keeps the user's scripts out. Default: any. */
  readonly credential?: AuthInfo['credential'];
  /**
   * The account that the request is about. The user must have it; if the token is bound to an account, it must be that
   * account. Leave the option out for a route that is about no account.
   *
   * Security: if the option is present and its value is not an account (`undefined`, `NaN`), every request is rejected.
   */
  readonly accountId?: Id | undefined;
  /**
   * Ask the store for every token whether the session is live; if the store does not answer, the response is 503.
   * Default: only for tokens that have `admin`, `internal`, `auth` or a scope that is `sensitive`. A personal access
   * token is always looked up, except within `personalAccessTokens.staleSeconds`, which this option overrides.
   */
  readonly checkSession?: boolean;
}

/**
 * The result of the check: the user of the request, or the response to send (400, 401, 403, 503, or 500 after a `fault`
 * event).
 */
export type BearerOutcome<
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> =
  | { readonly outcome: 'passed'; readonly auth: AuthInfo<Claims, Scopes, Id> }
  | { readonly outcome: 'rejected'; readonly response: AuthResponse };

/** The bearer check that `requireAuth` runs on every request, without the cost of an {@link AuthRequest}. */
export interface Bearer<
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> {
  /** The scopes that a requirement can name. */
  readonly scopes: readonly Scopes[];
  /**
   * Checks the `Authorization` header as {@link soleAuthorization} returns it. Returns without a promise if the token
   * is in the cache and the session need not be checked. Never throws, never rejects.
   *
   * Security: `requireAuth` rejects a misspelt requirement, which would require nothing. This method does not: call
   * {@link assertRequirement} once for the requirement of each route, as here. Pass the account of each request beside
   * it: `{ accountId, ...requirement }`. With `account`, the option of `requireAuth`, every request is rejected.
   *
   * @param head - the request with its cookies; absent: cookies are ignored
   * @example A route of a host that speaks Fetch
   * ```ts
   * import type { Auth } from '@latchhook/core';
   * import { assertRequirement } from '@latchhook/core/adapter';
   *
   * declare const auth: Auth;
   *
   * const requirement = { scope: 'user' } as const;
   * assertRequirement(auth, requirement);
   *
   * export async function GET({ method, headers }: Request): Promise<Response> {
   *   const authorization = headers.get('authorization') ?? undefined;
   *   const head = { method, headers: Object.fromEntries(headers) };
   *   const checked = await auth.bearer.check(authorization, requirement, head);
   *   if (checked.outcome === 'passed') return Response.json({ user: checked.auth.userId });
   *   const { body, ...init } = checked.response;
   *   return new Response(body, init);
   * }
   * ```
   */
  check(
    authorization: string | undefined,
    requirement: BearerRequirement<Scopes, Id>,
    head?: RequestHead,
  ): MaybePromise<BearerOutcome<Claims, Scopes, Id>>;
}
