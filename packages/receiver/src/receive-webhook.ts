import type { IncomingMessage } from 'node:http';
import { assertReceiveNames } from './prepare-options.ts';
import { readRawBody } from './read-raw-body.ts';
import type { ReceivedWebhook } from './received-webhook.ts';
import type { WebhookSecret } from './secret-bytes.ts';
import { verifyWebhook, type WebhookRejection } from './verify-webhook.ts';

/** How webhooks are received. */
export interface ReceiveOptions {
  /** The signing secret, or several, such as the old and the new one during a rotation. */
  readonly secret: WebhookSecret | readonly WebhookSecret[];
  /** How far `webhook-timestamp` may be from now, in both directions. Default: 300. */
  readonly toleranceSeconds?: number;
  /** The longest body that is read, bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * Whether the delivery with this id was handled before: the same event may arrive twice, and is then acknowledged
   * without being handled again. Default: every delivery is handled.
   *
   * Atomicity: return `true` only if it was handled completely, or an event whose handler failed is lost. Ideally store
   * the id in the transaction that handles the event.
   */
  readonly isDuplicate?: (id: string) => boolean | Promise<boolean>;
  /** The time, ms since 1970. Default: `Date.now`. */
  readonly nowMs?: () => number;
}

/** The outcome of {@link receiveWebhook}. */
export type ReceiveOutcome =
  | { readonly outcome: 'received'; readonly webhook: ReceivedWebhook }
  /** Verified, and handled before. */
  | { readonly outcome: 'duplicate'; readonly webhook: ReceivedWebhook }
  | { readonly outcome: 'rejected'; readonly reason: WebhookRejection | 'body_too_large' }
  /** The sender has disconnected; nobody waits for a response. */
  | { readonly outcome: 'aborted' };

/**
 * Reads a webhook from a request of `node:http` and verifies it.
 *
 * @param kept - values that may be a body that was already read
 * @throws {Error} if a parser has read the body without keeping the raw bytes
 * @throws {TypeError} if `secret` is not a valid signing secret, or an option is unknown
 */
export async function receiveWebhook(
  req: IncomingMessage,
  options: ReceiveOptions,
  kept: readonly unknown[] = [],
): Promise<ReceiveOutcome> {
  assertReceiveNames(options);
  const { secret, toleranceSeconds, maxBodyBytes = 1 << 20, isDuplicate, nowMs } = options;
  const body = await readRawBody(req, kept, maxBodyBytes);
  if (body.kind === 'aborted') return { outcome: 'aborted' };
  if (body.kind === 'too_large') return { outcome: 'rejected', reason: 'body_too_large' };
  const verified = verifyWebhook({
    secret,
    headers: req.headers,
    body: body.bytes,
    ...(toleranceSeconds !== undefined && { toleranceSeconds }),
    ...(nowMs && { atMs: nowMs() }),
  });
  if (verified.outcome === 'rejected') return verified;
  const { webhook } = verified;
  const duplicate = (await isDuplicate?.(webhook.id)) ?? false;
  return { outcome: duplicate ? 'duplicate' : 'received', webhook };
}
