import type { AccountId, AuthInfo, HostClaims, Scope } from '@latchhook/core';
import { guardedAuth } from '@latchhook/core/adapter';

/**
 * Whose request it is, in a route behind `requireAuth`: for code that is given any context, where the type of
 * `ctx.state` does not say.
 *
 * @throws {ConfigError} `auth_missing` where no `requireAuth` guards the route
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
>(ctx: { readonly state: { readonly auth?: unknown } }): AuthInfo<Claims, Scopes, Id> {
  return guardedAuth<Claims, Scopes, Id>(ctx?.state?.auth, 'ctx.state.auth');
}
