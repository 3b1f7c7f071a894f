/** A signing secret: the text that was shown at creation (base64 with or without the prefix `whsec_`), or its bytes. */
export type WebhookSecret = string | Uint8Array;

const PREFIX = 'whsec_';
const BASE64 = /^[A-Za-z\d+/]+={0,2}$/;

/** The minimum of Standard Webhooks. An empty secret is rejected too because anybody could sign with it. */
const MIN_SECRET_BYTES = 24;

/**
 * The bytes of one secret or of several.
 *
 * @throws {TypeError} if a secret is invalid or the list is empty
 */
export function secretBytes(
  secret: WebhookSecret | readonly WebhookSecret[],
): readonly Uint8Array[] {
  const list = typeof secret === 'string' || secret instanceof Uint8Array ? [secret] : secret;
  if (!Array.isArray(list) || list.length === 0) {
    throw new TypeError('secret must be a signing secret, or a list with one at least');
  }
  return list.map(toBytes);
}

function toBytes(secret: unknown): Uint8Array {
  const bytes = typeof secret === 'string' ? decode(secret) : secret;
  if (!(bytes instanceof Uint8Array) || bytes.length < MIN_SECRET_BYTES) {
    // The message must not contain the secret, even a wrong one.
    throw new TypeError(
      'secret must be whsec_ and base64, as it was shown, of 24 bytes or more, without quotes, spaces and line ends around it; or those bytes',
    );
  }
  return bytes;
}

function decode(text: string): Uint8Array | null {
  const base64 = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  return BASE64.test(base64) ? Buffer.from(base64, 'base64') : null;
}
