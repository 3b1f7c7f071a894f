import type { IncomingMessage, ServerResponse } from 'node:http';
import { prepareOptions } from './prepare-options.ts';
import { type ReceiveOptions, receiveWebhook } from './receive-webhook.ts';
import type { ReceivedWebhook } from './received-webhook.ts';
import { rejectionStatus } from './rejection-status.ts';

declare global {
  namespace Express {
    interface Request {
      /** The verified webhook, in handlers after {@link expressWebhook}. */
      webhook?: ReceivedWebhook;
    }
  }
}

/** The part that is used of a request of Express 4 and 5, or of `node:http`. */
export type WebhookRequest = IncomingMessage & {
  readonly body?: unknown;
  readonly rawBody?: unknown;
  webhook?: ReceivedWebhook;
};

/** A middleware for Express 4 and 5, and for frameworks that call `(req, res, next)` and do not wait for the body. */
export type WebhookHandler = (
  req: WebhookRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Sets `req.webhook` and passes the request on if it is verified; otherwise responds with 400, 401 or 413. Responds
 * with 204 to a duplicate. Needs the raw body: mount it before `express.json()`, or after `express.raw()` with a
 * `limit` as large as a delivery may be, which is more than its default.
 *
 * @throws {TypeError} immediately, if `secret` is not a valid signing secret, a limit is not a positive number, or an
 *   option is unknown
 * @example
 * ```ts
 * import { expressWebhook } from '@latchhook/receiver';
 * import express from 'express';
 *
 * const secret = process.env['WEBHOOK_SECRET'] ?? '';
 * express().post('/hooks', expressWebhook({ secret }), (req, res) => {
 *   console.log(req.webhook?.type);
 *   res.sendStatus(204);
 * });
 * ```
 */
export function expressWebhook(options: ReceiveOptions): WebhookHandler {
  const prepared = prepareOptions(options);
  return (req, res, next) => {
    receive(prepared, req, res).then(
      (isReceived) => {
        if (isReceived) next();
      },
      (error) => next(error),
    );
  };
}

/** Sets `req.webhook`, or sends a response. Resolves to whether to call `next`. */
async function receive(
  options: ReceiveOptions,
  req: WebhookRequest,
  res: ServerResponse,
): Promise<boolean> {
  const result = await receiveWebhook(req, options, [req.rawBody, req.body]);
  switch (result.outcome) {
    case 'received':
      req.webhook = result.webhook;
      return true;
    case 'duplicate':
      res.writeHead(204).end();
      return false;
    case 'rejected':
      res
        .writeHead(rejectionStatus(result.reason), { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: result.reason }));
      return false;
    case 'aborted':
      return false;
  }
}
