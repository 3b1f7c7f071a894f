import { assertNames, type NamesOf } from './assert-names.ts';
import { assertRaw } from './assert-raw.ts';
import { secretBytes, type WebhookSecret } from './secret-bytes.ts';
import { signatureOf } from './signature.ts';

/** The delivery to sign. */
export interface SignRequest {
  /** The signing secret, or several, such as the old and the new one during a rotation. */
  readonly secret: WebhookSecret | readonly WebhookSecret[];
  /** The `webhook-id`. The `id` in the body must be the same. */
  readonly id: string;
  readonly body: string | Uint8Array;
  /** Default: now. */
  readonly timestampMs?: number;
}

/** The headers of a signed delivery. A type rather than an interface, so that `fetch` and `verifyWebhook` accept it. */
export type SignedHeaders = Readonly<
  Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
>;

const NAMES: NamesOf<SignRequest> = { secret: true, id: true, body: true, timestampMs: true };

/**
 * Signs as Latchhook does, for tests of code that handles webhooks.
 *
 * @throws {TypeError} if `secret` is not a valid signing secret, `body` is no text or bytes, or an option is unknown
 */
export function signWebhook(request: SignRequest): SignedHeaders {
  assertNames(request, NAMES, '{ secret, id, body }');
  const { secret, id, body, timestampMs } = request;
  assertRaw(body);
  const timestamp = String(Math.floor((timestampMs ?? Date.now()) / 1000));
  const signatures = secretBytes(secret).map(
    (key) => `v1,${signatureOf(key, id, timestamp, body)}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
