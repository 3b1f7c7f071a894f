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
       * Whose request it is, behind {@link requireAuth}, by one type for all apps: of integers and given scopes. Read
       * it by `authOf(req)`, which never is `undefined`, and says the scopes, ids and claims of yours.
       */
      auth?: AuthInfo;
    }
  }
}

/** A request that has reached a route. */
export type RouteRequest = ExpressRequest & {
  readonly params: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
};

/** What a route demands of its clients. */
export interface RouteRequirement<
  Req extends ExpressRequest = RouteRequest,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> extends Omit<BearerRequirement<Scopes>, 'accountId'> {
  /**
   * The account that the request is about, taken from path or query. `undefined` or `NaN`: nobody passes. Nor by an id
   * of another kind than the option `accounts.id` says, of which the process warns once.
   */
  readonly account?: (req: Req) => Id | undefined;
}

/**
 * Lets a request pass whose token meets the requirement, with `req.auth` set; otherwise answers 401, 403 or 503 itself,
 * or 500 after emitting a `fault` event.
 *
 * A CORS preflight has no token, and is rejected as well: mount a middleware for CORS first, which answers it. To let
 * it pass would let anybody pass who sends its headers, to handlers that ignore the method.
 *
 * @throws {ConfigError} where it is mounted: `requirement_invalid`, `option_unknown`, `auth_invalid`
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
      // `req.auth` is of one type in all apps; `authOf` says the scopes and the ids of this one.
      req.auth = checked.auth as AuthInfo<HostClaims, string, AccountId> as AuthInfo;
      return true;
    };
    // The handler's type is wider than `Req`: otherwise Express would infer the route's `params` from it, for the
    // handlers behind it too.
    const asked = account ? { ...fixed, accountId: account(req as Req) } : fixed;
    const checked = auth.bearer.check(soleAuthorization(req), asked, req);
    if (!isPromise(checked)) {
      if (passes(checked)) next();
      return;
    }
    // Our own fault goes to `next`; a fault of `next` does not, or `next` would be called twice.
    checked.then(passes).then((passed) => {
      if (passed) next();
    }, next);
  };
}
