import type { AuthResponse } from '@latchhook/core/adapter';
import type { Context } from 'koa';

/** Koa does the rest: lengths, HEAD, clients that have gone, answers that have been given. */
export function sendAuthResponse(ctx: Context, { status, headers, body }: AuthResponse): void {
  ctx.status = status;
  ctx.set({ ...headers });
  ctx.body = body === '' ? null : body;
}
