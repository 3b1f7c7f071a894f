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

/** The part of a request of Express 4 and 5, or of `node:http`, that is used. */
export type WebhookRequest = IncomingMessage & {
  readonly body?: unknown;
  readonly rawBody?: unknown;
  webhook?: ReceivedWebhook;
};

/** A middleware for Express 4 and 5, and for other frameworks that call `(req, res, next)`. */
export type WebhookHandler = (
  req: WebhookRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Passes verified webhooks on, as `req.webhook`; responds to all others itself: with 400, 401 or 413, and with 204 to a
 * duplicate. It needs the raw body: mount it before `express.json()`, or after `express.raw()`.
 *
 * @throws {TypeError} at once, if `secret` is not a valid signing secret, a limit is not a positive number, or an
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
      (passes) => {
        if (passes) next();
      },
      (error) => next(error),
    );
  };
}

async function receive(
  options: ReceiveOptions,
  req: WebhookRequest,
  res: ServerResponse,
): Promise<boolean> {
  const received = await receiveWebhook(req, options, [req.rawBody, req.body]);
  switch (received.outcome) {
    case 'received':
      req.webhook = received.webhook;
      return true;
    case 'duplicate':
      res.writeHead(204).end();
      return false;
    case 'rejected':
      res
        .writeHead(rejectionStatus(received.reason), { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: received.reason }));
      return false;
    case 'aborted':
      return false;
  }
}
