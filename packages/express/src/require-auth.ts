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
  type BearerOutcome,
  type BearerRequirement,
  soleAuthorization,
  warnOfPreflight,
} from '@latchhook/core/adapter';
import type { ExpressHandler } from './latchhook.ts';
import { sendAuthResponse } from './send-auth-response.ts';
import type { ExpressRequest } from './to-auth-request.ts';

declare global {
  namespace Express {
    interface Request {
      /**
       * The authenticated user of the request, after {@link requireAuth}. It has one type for all apps, with integer
       * ids and the default scopes. `authOf(req)` is never `undefined`, and has the types of your scopes, ids and
       * claims.
       */
      auth?: AuthInfo;
    }
  }
}

/** The request of a route. */
export type RouteRequest = ExpressRequest & {
  readonly params: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
};

/** The requirement of a route for its clients. */
export interface RouteRequirement<
  Req extends ExpressRequest = RouteRequest,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> extends Omit<BearerRequirement<Scopes>, 'accountId'> {
  /**
   * The account of the request, from path or query. `undefined` or `NaN` rejects every request. So does an id that is
   * not of the kind `accounts.id`, of which the process warns once.
   */
  readonly account?: (req: Req) => Id | undefined;
}

/**
 * Passes a request on if its token meets the requirement, with `req.auth` set; otherwise responds itself with 401, 403
 * or 503, or with 500 after emitting a `fault` event.
 *
 * A CORS preflight has no token, and is rejected too: mount a middleware for CORS first, which responds to it. If
 * preflights were passed on, anybody could send their headers to reach handlers that ignore the method.
 *
 * @throws {ConfigError} when it is mounted: `requirement_invalid`, `option_unknown`, `auth_invalid`
 *
 * @example
 * ```ts
 * import type { Auth } from '@latchhook/core';
 * import { requireAuth } from '@latchhook/express';
 * import express from 'express';
 *
 * declare const auth: Auth;
 * express().get(
 *   '/accounts/:accountId/contacts',
 *   requireAuth(auth, { scope: 'user', account: (req) => Number(req.params['accountId']) }),
 *   (req, res) => res.json({ user: req.auth?.userId }),
 * );
 * ```
 */
export function requireAuth<
  Req extends ExpressRequest = RouteRequest,
  Scopes extends string = Scope,
  Id extends AccountId = number,
>(
  auth: { readonly bearer: Bearer<HostClaims, Scopes, Id> },
  requirement: RouteRequirement<Req, NoInfer<Scopes>, NoInfer<Id>> = {},
): ExpressHandler {
  assertRequirement(auth, requirement);
  const { account, ...fixed } = requirement;
  return (req, res, next) => {
    const passes = (checked: BearerOutcome<HostClaims, Scopes, Id>): boolean => {
      if (checked.outcome === 'rejected') {
        warnOfPreflight(req);
        sendAuthResponse(res, checked.response);
        return false;
      }
      // `req.auth` has one type for all apps; `authOf` has the scopes and ids of this one.
      req.auth = checked.auth as AuthInfo<HostClaims, string, AccountId> as AuthInfo;
      return true;
    };
    // The handler's type is wider than `Req`, as Express would otherwise infer the route's `params` from it, for the
    // following handlers too.
    const asked = account ? { ...fixed, accountId: account(req as Req) } : fixed;
    const checked = auth.bearer.check(soleAuthorization(req), asked, req);
    if (!isPromise(checked)) {
      if (passes(checked)) next();
      return;
    }
    // An error of ours is passed to `next`; an error of `next` is not, or `next` would be called twice.
    checked.then(passes).then((passed) => {
      if (passed) next();
    }, next);
  };
}
