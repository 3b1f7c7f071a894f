import type { Auth } from '@latchhook/core';
import {
  type AuthResponse,
  assertRoutes,
  readNodeBody,
  soleAuthorization,
} from '@latchhook/core/adapter';
import type { Context, Middleware, Request } from 'koa';

/** Properties in which body parsers for Koa store the body. */
interface StoredBody {
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

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
    // Despite its type, Koa's `path` is null if the request target is a URL without a path, such as `x://y`.
    if (!auth.http.owns(ctx.path ?? '')) return next();
    const request: Request & StoredBody = ctx.request;
    const response = await auth.http.handle({
      method: ctx.method,
      path: ctx.path,
      mountPath: mountPathOf(ctx),
      query: ctx.querystring,
      headers: ctx.headers,
      authorization: soleAuthorization(ctx.req),
      // Koa's `ip` is empty if the socket has been closed.
      remoteAddress: ctx.ip === '' ? undefined : ctx.ip,
      body: await readNodeBody(
        ctx.req,
        request.body === undefined ? request.rawBody : request.body,
      ),
    });
    sendAuthResponse(ctx, response);
  };
}

/**
 * koa-mount removes each mount path from `ctx.path`, and stores only the last one; the original URL has all of them.
 */
function mountPathOf({ originalUrl, path }: Context): string {
  const [target = ''] = originalUrl.split('?', 1);
  // RFC 9112 3.2.2: a client may send a whole URL (absolute-form).
  const fullPath = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '');
  return fullPath.endsWith(path) ? fullPath.slice(0, -path.length) : '';
}

/** Koa itself handles Content-Length, HEAD, clients that have disconnected and responses that were already sent. */
export function sendAuthResponse(ctx: Context, response: AuthResponse): void {
  const { status, headers, cookies, body } = response;
  ctx.status = status;
  ctx.set({ ...headers });
  if (cookies !== undefined) ctx.append('set-cookie', [...cookies]);
  ctx.body = body === '' ? null : body;
}
