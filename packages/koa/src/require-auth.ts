import {
  type AccountId,
  type AuthInfo,
  type HostClaims,
  isPromise,
  type Scope,
} from '@latchhook/core';
import {
  assertRequirement,
  type Bearer,
  type BearerRequirement,
  soleAuthorization,
  warnOfPreflight,
} from '@latchhook/core/adapter';
import type { Context, Middleware } from 'koa';
import { sendAuthResponse } from './send-auth-response.ts';

/** `ctx.state` after {@link requireAuth}. */
export interface AuthState<
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> {
  /** The authenticated user of the request. */
  auth: AuthInfo<Claims, Scopes, Id>;
}

/** The context of a route. */
export interface RouteContext extends Context {
  readonly params: Readonly<Record<string, string>>;
}

/** The requirement of a route for its clients. */
export interface RouteRequirement<
  Ctx = RouteContext,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> extends Omit<BearerRequirement<Scopes>, 'accountId'> {
  /**
   * The account of the request, from path or query. `undefined` or `NaN` rejects every request. So does an id that is
   * not of the kind `accounts.id`, of which the process warns once.
   */
  readonly account?: (ctx: Ctx) => Id | undefined;
}

/**
 * Passes a request on if its token meets the requirement, with `ctx.state.auth` set; otherwise responds itself with
 * 401, 403 or 503, or with 500 after emitting a `fault` event.
 *
 * A CORS preflight has no token, and is rejected too: mount a middleware for CORS first, which responds to it. If
 * preflights were passed on, anybody could send their headers to reach handlers that ignore the method.
 *
 * @throws {ConfigError} when it is mounted: `requirement_invalid`, `option_unknown`, `auth_invalid`
 *
 * @example
 * ```ts
 * import Router from '@koa/router';
 * import type { Auth } from '@latchhook/core';
 * import { requireAuth } from '@latchhook/koa';
 *
 * declare const auth: Auth;
 * new Router().get(
 *   '/accounts/:accountId/contacts',
 *   requireAuth(auth, { scope: 'user', account: (ctx) => Number(ctx.params['accountId']) }),
 *   (ctx) => {
 *     ctx.body = { user: ctx.state.auth.userId };
 *   },
 * );
 * ```
 */
export function requireAuth<
  Ctx = RouteContext,
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
>(
  auth: { readonly bearer: Bearer<Claims, Scopes, Id> },
  requirement: RouteRequirement<Ctx, NoInfer<Scopes>, NoInfer<Id>> = {},
): Middleware<AuthState<Claims, Scopes, Id>> {
  assertRequirement(auth, requirement);
  const { account, ...fixed } = requirement;
  return async (ctx, next) => {
    const asked = account ? { ...fixed, accountId: account(ctx as Ctx) } : fixed;
    const answer = auth.bearer.check(soleAuthorization(ctx.req), asked, ctx.req);
    const checked = isPromise(answer) ? await answer : answer;
    if (checked.outcome === 'rejected') {
      warnOfPreflight(ctx.req);
      return sendAuthResponse(ctx, checked.response);
    }
    ctx.state.auth = checked.auth;
    return next();
  };
}
