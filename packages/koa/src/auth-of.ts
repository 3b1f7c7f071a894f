import type { AccountId, AuthInfo, HostClaims, Scope } from '@latchhook/core';
import { type Bearer, guardedAuth } from '@latchhook/core/adapter';

/**
 * The authenticated user of a request, in a route after `requireAuth`. Use it where `ctx.state` has no type.
 *
 * @param _auth - gives the result the types of your claims, scopes and account ids; type arguments do the same
 * @throws {ConfigError} `auth_missing` if no `requireAuth` is mounted before the route
 * @example
 * ```ts
 * import { authOf } from '@latchhook/koa';
 * import type { Context } from 'koa';
 *
 * export function showUser(ctx: Context): void {
 *   ctx.body = { user: authOf(ctx).userId };
 * }
 * ```
 */
export function authOf<
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
>(
  ctx: { readonly state: { readonly auth?: unknown } },
  _auth?: { readonly bearer: Bearer<Claims, Scopes, Id> },
): AuthInfo<Claims, Scopes, Id> {
  return guardedAuth<Claims, Scopes, Id>(ctx?.state?.auth, 'ctx.state.auth');
}
