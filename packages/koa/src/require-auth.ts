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
import { sendAuthResponse } from './latchhook.ts';

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

/** What a route requires of its requests. */
export interface RouteRequirement<
  Ctx = RouteContext,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> extends Omit<BearerRequirement<Scopes>, 'accountId'> {
  /**
   * Returns the account that the request is for, from its path or query. If that is `undefined`, `NaN` or an id that is
   * not of the kind `accounts.id`, the request is rejected. The process warns once of an id of the wrong kind.
   */
  readonly account?: (ctx: Ctx) => Id | undefined;
}

/**
 * Sets `ctx.state.auth` and passes the request on if its token meets the requirement; otherwise responds with 401, 403
 * or 503, or with 500 after emitting a `fault` event.
 *
 * A CORS preflight has no token, and is rejected too: mount a middleware for CORS first, which responds to preflights.
 * If preflights were passed on, anybody could reach handlers that ignore the method by sending the headers of a
 * preflight.
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
  const { account, ...routeRequirement } = requirement;
  return async (ctx, next) => {
    const requestRequirement = account
      ? { accountId: account(ctx as Ctx), ...routeRequirement }
      : routeRequirement;
    const check = auth.bearer.check(soleAuthorization(ctx.req), requestRequirement, ctx.req);
    // Awaited only if it is a promise, so that a synchronous check calls `next` synchronously.
    const result = isPromise(check) ? await check : check;
    if (result.outcome === 'rejected') {
      warnOfPreflight(ctx.req);
      return sendAuthResponse(ctx, result.response);
    }
    ctx.state.auth = result.auth;
    return next();
  };
}
