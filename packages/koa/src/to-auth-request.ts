import { type AuthRequest, readNodeBody, soleAuthorization } from '@latchhook/core/adapter';
import type { Context, Request } from 'koa';

/** Where the parsers for Koa leave what they have read. */
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
    // Koa has an empty string when the socket no longer has an address.
    remoteAddress: ctx.ip === '' ? undefined : ctx.ip,
    body: await readNodeBody(ctx.req, request.body === undefined ? request.rawBody : request.body),
  };
}

/** koa-mount shortens `ctx.path` and remembers only the last of its prefixes; the original URL has all of them. */
function mountPath({ originalUrl, path }: Context): string {
  const [asked = ''] = originalUrl.split('?', 1);
  // RFC 9112 3.2.2: a client may ask for a whole URL.
  const askedPath = asked.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '');
  return askedPath.endsWith(path) ? askedPath.slice(0, -path.length) : '';
}
