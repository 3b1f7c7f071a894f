import type { IncomingMessage } from 'node:http';
import { assertReceiveNames } from './prepare-options.ts';
import { readRawBody } from './read-raw-body.ts';
import type { ReceivedWebhook } from './received-webhook.ts';
import type { WebhookSecret } from './secret-bytes.ts';
import { verifyWebhook, type WebhookRejection } from './verify-webhook.ts';

/** The options for receiving webhooks. */
export interface ReceiveOptions {
  /** The signing secret, or several, such as the old and the new one during a rotation. */
  readonly secret: WebhookSecret | readonly WebhookSecret[];
  /** How far `webhook-timestamp` may be from now, in both directions. Default: 300. */
  readonly toleranceSeconds?: number;
  /** The maximum length of a body, bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * Returns whether the delivery with this id was handled before: the same delivery may arrive twice. A duplicate is
   * acknowledged, and not handled again. Default: every delivery is handled.
   *
   * Atomicity: return `true` only if the delivery was handled completely. Otherwise an event is lost if its handler
   * fails. Ideally store the id in the transaction that handles the event.
   */
  readonly isDuplicate?: (id: string) => boolean | Promise<boolean>;
  /** The time, ms since 1970. Default: `Date.now`. */
  readonly nowMs?: () => number;
}

/** The outcome of {@link receiveWebhook}. */
export type ReceiveOutcome =
  | { readonly outcome: 'received'; readonly webhook: ReceivedWebhook }
  /** The webhook was handled before. */
  | { readonly outcome: 'duplicate'; readonly webhook: ReceivedWebhook }
  | { readonly outcome: 'rejected'; readonly reason: WebhookRejection | 'body_too_large' }
  /** The sender has disconnected; nobody waits for a response. */
  | { readonly outcome: 'aborted' };

/**
 * Reads a webhook from a request of `node:http` and verifies it.
 *
 * @param storedBodies - properties in which a parser may have stored the body, if the stream was already read
 * @throws {Error} if a parser has read the body without storing the raw bytes
 * @throws {TypeError} if `secret` is not a valid signing secret, or an option is unknown
 */
export async function receiveWebhook(
  req: IncomingMessage,
  options: ReceiveOptions,
  storedBodies: readonly unknown[] = [],
): Promise<ReceiveOutcome> {
  assertReceiveNames(options);
  const { secret, toleranceSeconds, maxBodyBytes = 1 << 20, isDuplicate, nowMs } = options;
  const body = await readRawBody(req, storedBodies, maxBodyBytes);
  if (body.kind === 'aborted') return { outcome: 'aborted' };
  if (body.kind === 'too_large') return { outcome: 'rejected', reason: 'body_too_large' };
  const result = verifyWebhook({
    secret,
    headers: req.headers,
    body: body.bytes,
    ...(toleranceSeconds !== undefined && { toleranceSeconds }),
    ...(nowMs && { atMs: nowMs() }),
  });
  if (result.outcome === 'rejected') return result;
  const { webhook } = result;
  return { outcome: (await isDuplicate?.(webhook.id)) ? 'duplicate' : 'received', webhook };
}
