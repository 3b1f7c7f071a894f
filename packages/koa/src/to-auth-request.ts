import { type AuthRequest, readNodeBody, soleAuthorization } from '@latchhook/core/adapter';
import type { Context, Request } from 'koa';

/** Where the parsers for Koa store the body. */
interface ParsedBody {
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

export async function toAuthRequest(ctx: Context): Promise<AuthRequest> {
  const request: Request & ParsedBody = ctx.request;
  return {
    method: ctx.method,
    path: ctx.path,
    mountPath: mountPath(ctx),
    query: ctx.querystring,
    headers: ctx.headers,
    authorization: soleAuthorization(ctx.req),
    // In Koa the address is empty when the socket no longer has one.
    remoteAddress: ctx.ip === '' ? undefined : ctx.ip,
    body: await readNodeBody(ctx.req, request.body === undefined ? request.rawBody : request.body),
  };
}

/** koa-mount shortens `ctx.path` and stores only the last of its prefixes; the original URL has all of them. */
function mountPath({ originalUrl, path }: Context): string {
  const [asked = ''] = originalUrl.split('?', 1);
  // RFC 9112 3.2.2: a client may send a whole URL (absolute-form).
  const askedPath = asked.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '');
  return askedPath.endsWith(path) ? askedPath.slice(0, -path.length) : '';
}
