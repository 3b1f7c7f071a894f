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
import { type ExpressHandler, type ExpressRequest, sendAuthResponse } from './latchhook.ts';

declare global {
  namespace Express {
    interface Request {
      /**
       * The authenticated user of the request, in handlers after {@link requireAuth}. This type has integer ids and the
       * default scopes. `authOf(req)` has the types of your scopes, ids and claims, and is never `undefined`.
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

/** What a route requires of its requests. */
export interface RouteRequirement<
  Req extends ExpressRequest = RouteRequest,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> extends Omit<BearerRequirement<Scopes>, 'accountId'> {
  /**
   * Returns the account that the request is for, from its path or query. If that is `undefined`, `NaN` or an id that is
   * not of the kind `accounts.id`, the request is rejected. The process warns once of an id of the wrong kind.
   */
  readonly account?: (req: Req) => Id | undefined;
}

/**
 * Sets `req.auth` and passes the request on if its token meets the requirement; otherwise responds with 401, 403 or
 * 503, or with 500 after emitting a `fault` event.
 *
 * A CORS preflight has no token, and is rejected too: mount a middleware for CORS first, which responds to preflights.
 * If preflights were passed on, anybody could reach handlers that ignore the method by sending the headers of a
 * preflight.
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
  const { account, ...routeRequirement } = requirement;
  return (req, res, next) => {
    /** Sets `req.auth`, or sends the rejection. Returns whether to call `next`. */
    const applyOutcome = (result: BearerOutcome<HostClaims, Scopes, Id>): boolean => {
      if (result.outcome === 'rejected') {
        warnOfPreflight(req);
        sendAuthResponse(res, result.response);
        return false;
      }
      // `req.auth` has the same type in all apps; `authOf` returns the scopes and ids of this app.
      req.auth = result.auth as AuthInfo<HostClaims, string, AccountId> as AuthInfo;
      return true;
    };
    // The handler takes an `ExpressRequest` and not a `Req`, from which Express would infer the `params` of the
    // following handlers.
    const requestRequirement = account
      ? { accountId: account(req as Req), ...routeRequirement }
      : routeRequirement;
    const result = auth.bearer.check(soleAuthorization(req), requestRequirement, req);
    if (!isPromise(result)) {
      if (applyOutcome(result)) next();
      return;
    }
    // An error of the check or of the response goes to `next`. An error that `next` throws must not, as `next` would be
    // called twice.
    result.then(applyOutcome).then((isPassed) => {
      if (isPassed) next();
    }, next);
  };
}
