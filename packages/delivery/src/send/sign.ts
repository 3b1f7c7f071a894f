import { createHmac } from 'node:crypto';

/**
 * The value of `webhook-signature` by Standard Webhooks: one HMAC-SHA256 for each secret, so that a receiver can verify
 * with any of them. The bytes of `body` in UTF-8 are signed.
 *
 * @param secrets - the bytes behind `whsec_`
 * @param timestampSeconds - as in `webhook-timestamp`
 */
export function sign(
  secrets: readonly Uint8Array[],
  id: string,
  timestampSeconds: number,
  body: string,
): string {
  // Neither id nor timestamp has a dot in it, so no other three give the same content.
  const content = `${id}.${timestampSeconds}.${body}`;
  // A prepared KeyObject was measured, and saves nothing.
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`)
    .join(' ');
}
