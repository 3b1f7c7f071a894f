import type { Auth } from '@latchhook/core';
import { assertRoutes } from '@latchhook/core/adapter';
import type { Middleware } from 'koa';
import { sendAuthResponse } from './send-auth-response.ts';
import { toAuthRequest } from './to-auth-request.ts';

/**
 * Serves the routes of `auth` below the mount path. Passes all other requests on, without reading their bodies.
 *
 * @throws {ConfigError} when it is mounted: `auth_invalid`
 *
 * @example
 * ```ts
 * import type { Auth } from '@latchhook/core';
 * import { latchhook } from '@latchhook/koa';
 * import Koa from 'koa';
 *
 * declare const auth: Auth;
 * const app = new Koa();
 * app.use(latchhook(auth)); // or below a path, with koa-mount: app.use(mount('/auth', latchhook(auth)));
 * ```
 */
export function latchhook(auth: Pick<Auth, 'http'>): Middleware {
  assertRoutes('latchhook', auth);
  return async (ctx, next) => {
    if (!auth.http.owns(ctx.path)) return next();
    sendAuthResponse(ctx, await auth.http.handle(await toAuthRequest(ctx)));
  };
}
