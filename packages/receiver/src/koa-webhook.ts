import type { IncomingMessage } from 'node:http';
import { prepareOptions } from './prepare-options.ts';
import { type ReceiveOptions, receiveWebhook } from './receive-webhook.ts';
import type { ReceivedWebhook } from './received-webhook.ts';
import { rejectionStatus } from './rejection-status.ts';

/** The part that is used of the context of Koa 2 and 3. */
export interface WebhookContext {
  readonly req: IncomingMessage;
  readonly request: object;
  /** The middleware sets `webhook` for the following handlers. */
  readonly state: { webhook: ReceivedWebhook };
  status: number;
  body: unknown;
}

/** A middleware for Koa. */
export type WebhookMiddleware = (
  ctx: WebhookContext,
  next: () => Promise<unknown>,
) => Promise<void>;

/**
 * Sets `ctx.state.webhook` and passes the request on if it is verified; otherwise responds with 400, 401 or 413.
 * Responds with 204 to a duplicate. Needs the raw body: mount it before a body parser, or after a parser that sets
 * `ctx.request.rawBody`.
 *
 * @throws {TypeError} immediately, if `secret` is not a valid signing secret, a limit is not a positive number, or an
 *   option is unknown
 * @example
 * ```ts
 * import Router from '@koa/router';
 * import { koaWebhook } from '@latchhook/receiver';
 *
 * const secret = process.env['WEBHOOK_SECRET'] ?? '';
 * new Router().post('/hooks', koaWebhook({ secret }), (ctx) => {
 *   console.log(ctx.state.webhook.type);
 *   ctx.status = 204;
 * });
 * ```
 */
export function koaWebhook(options: ReceiveOptions): WebhookMiddleware {
  const prepared = prepareOptions(options);
  return async (ctx, next) => {
    const { rawBody, body }: { rawBody?: unknown; body?: unknown } = ctx.request;
    const result = await receiveWebhook(ctx.req, prepared, [rawBody, body]);
    switch (result.outcome) {
      case 'received':
        ctx.state.webhook = result.webhook;
        await next();
        return;
      case 'duplicate':
        ctx.status = 204;
        return;
      case 'rejected':
        ctx.status = rejectionStatus(result.reason);
        ctx.body = { error: result.reason };
        return;
      case 'aborted':
        return;
    }
  };
}
