import { type AuthRequest, readNodeBody, soleAuthorization } from '@latchhook/core/adapter';
import type { Context, Request } from 'koa';

/** Properties in which body parsers for Koa store the body. */
interface StoredBody {
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

export async function toAuthRequest(ctx: Context): Promise<AuthRequest> {
  const request: Request & StoredBody = ctx.request;
  return {
    method: ctx.method,
    path: ctx.path,
    mountPath: mountPathOf(ctx),
    query: ctx.querystring,
    headers: ctx.headers,
    authorization: soleAuthorization(ctx.req),
    // Koa's `ip` is empty if the socket has been closed.
    remoteAddress: ctx.ip === '' ? undefined : ctx.ip,
    body: await readNodeBody(ctx.req, request.body === undefined ? request.rawBody : request.body),
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
