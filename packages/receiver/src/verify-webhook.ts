import type { ReceivedWebhook } from './received-webhook.ts';
import {
  type SignatureRejection,
  type VerifyRequest,
  verifySignature,
} from './verify-signature.ts';

/** Why a request is rejected. `body_malformed`: the signature is valid, but the body is not a webhook of Latchhook. */
export type WebhookRejection = SignatureRejection | 'body_malformed';

/** The outcome of {@link verifyWebhook}. */
export type VerifyOutcome =
  | {
      readonly outcome: 'verified';
      readonly webhook: ReceivedWebhook;
      /** When this attempt was sent, ms. */
      readonly sentAtMs: number;
    }
  | { readonly outcome: 'rejected'; readonly reason: WebhookRejection };

/**
 * Verifies a delivery and parses its body. Types that are not in `WebhookType` are accepted too: keep a `default`
 * branch in a `switch`.
 *
 * Security: see {@link verifySignature}.
 *
 * @throws {TypeError} if `secret` is not a valid signing secret, `headers` are missing, `body` has been parsed, or an
 *   option is unknown
 * @example
 * ```ts
 * import { rejectionStatus, verifyWebhook } from '@latchhook/receiver';
 *
 * declare const secret: string;
 * export async function POST(request: Request): Promise<Response> {
 *   const body = await request.text();
 *   const result = verifyWebhook({ secret, headers: request.headers, body });
 *   if (result.outcome === 'rejected') return new Response(null, { status: rejectionStatus(result.reason) });
 *   // ... result.webhook
 *   return new Response(null, { status: 204 });
 * }
 * ```
 */
export function verifyWebhook(request: VerifyRequest): VerifyOutcome {
  const result = verifySignature(request);
  if (result.outcome === 'rejected') return result;
  const webhook = parseWebhook(request.body);
  // Both ids are signed. They must also be equal because a receiver may store one of them and look up the other.
  if (webhook === null || webhook.id !== result.id) {
    return { outcome: 'rejected', reason: 'body_malformed' };
  }
  return { outcome: 'verified', webhook, sentAtMs: result.sentAtMs };
}

function parseWebhook(body: string | Uint8Array): ReceivedWebhook | null {
  try {
    const text =
      typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body);
    const value: unknown = JSON.parse(text);
    return isWebhook(value) ? value : null;
  } catch {
    return null;
  }
}

function isWebhook(value: unknown): value is ReceivedWebhook {
  if (!isObject(value)) return false;
  return (
    typeof value['id'] === 'string' &&
    typeof value['type'] === 'string' &&
    typeof value['timestamp'] === 'string' &&
    isAccountId(value['account_id']) &&
    isObject(value['data'])
  );
}

/** Integers or strings, depending on the publisher's option. */
function isAccountId(value: unknown): boolean {
  return Number.isSafeInteger(value) || (typeof value === 'string' && value !== '');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
