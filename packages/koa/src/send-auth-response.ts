import type { AuthResponse } from '@latchhook/core/adapter';
import type { Context } from 'koa';

/** Koa itself handles Content-Length, HEAD, clients that have disconnected and responses that were already sent. */
export function sendAuthResponse(ctx: Context, response: AuthResponse): void {
  const { status, headers, cookies, body } = response;
  ctx.status = status;
  ctx.set({ ...headers });
  if (cookies !== undefined) ctx.append('set-cookie', [...cookies]);
  ctx.body = body === '' ? null : body;
}
