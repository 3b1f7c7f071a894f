import { createHmac } from 'node:crypto';

/** What goes out. */
export interface SignedContent {
  /** The value of `webhook-signature`. */
  readonly signature: string;
  /** The very bytes that were signed. */
  readonly body: Uint8Array;
}

/**
 * Signs by Standard Webhooks: with one HMAC-SHA256 for each secret, so that a receiver can verify with any of them. The
 * bytes of `body` in UTF-8 are signed.
 *
 * @param secrets - the bytes behind `whsec_`
 * @param timestampSeconds - as in `webhook-timestamp`
 */
export function sign(
  secrets: readonly Uint8Array[],
  id: string,
  timestampSeconds: number,
  body: string,
): SignedContent {
  // Neither id nor timestamp has a dot in it, so no other three give the same content.
  const head = `${id}.${timestampSeconds}.`;
  const content = Buffer.from(head + body);
  // A prepared KeyObject was measured, and saves nothing.
  const signature = secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`)
    .join(' ');
  return { signature, body: content.subarray(Buffer.byteLength(head)) };
}
