import type { AccountId, AuthInfo, HostClaims, Scope } from '@latchhook/core';
import { type Bearer, guardedAuth } from '@latchhook/core/adapter';

/**
 * The authenticated user of a request, in a route after `requireAuth`. In contrast to `req.auth`, it is never
 * `undefined`.
 *
 * @param _auth - gives the result the types of your claims, scopes and account ids; type arguments do the same
 * @throws {ConfigError} `auth_missing` if no `requireAuth` is mounted before the route
 * @example
 * ```ts
 * import type { Auth } from '@latchhook/core';
 * import { authOf, requireAuth } from '@latchhook/express';
 * import express from 'express';
 *
 * declare const auth: Auth;
 * express().get('/me', requireAuth(auth), (req, res) => {
 *   res.json({ user: authOf(req).userId });
 * });
 * ```
 */
export function authOf<
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
>(
  req: { readonly auth?: unknown },
  _auth?: { readonly bearer: Bearer<Claims, Scopes, Id> },
): AuthInfo<Claims, Scopes, Id> {
  return guardedAuth<Claims, Scopes, Id>(req?.auth, 'req.auth');
}
