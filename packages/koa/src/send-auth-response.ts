import type { AuthResponse } from '@latchhook/core';
import type { Context } from 'koa';

/** Koa itself does the rest: lengths, HEAD, and nothing for a client that has gone. */
export function sendAuthResponse(ctx: Context, { status, headers, body }: AuthResponse): void {
  ctx.status = status;
  ctx.set({ ...headers });
  ctx.body = body === '' ? null : body;
}
