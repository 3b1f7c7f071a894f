import { createHmac } from 'node:crypto';

/**
 * Signs a body by Standard Webhooks: one HMAC-SHA256 for each secret, so that a receiver can verify with any of them.
 *
 * @param secrets - the bytes behind `whsec_`
 * @param timestampSeconds - as in `webhook-timestamp`
 * @param body - signed in UTF-8
 * @returns the value of `webhook-signature`
 */
export function sign(
  secrets: readonly Uint8Array[],
  id: string,
  timestampSeconds: number,
  body: string,
): string {
  // Neither id nor timestamp has a dot in it, so no other three give the same content.
  const content = `${id}.${timestampSeconds}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`,
  );
  return signatures.join(' ');
}
