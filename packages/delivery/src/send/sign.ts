import { createHmac } from 'node:crypto';

/**
 * Signs a body by Standard Webhooks: one HMAC-SHA256 for each secret, so that a receiver can verify with any of them.
 *
 * @param secrets - the decoded bytes that follow `whsec_`
 * @param timestampSeconds - the value of `webhook-timestamp`
 * @param body - the text, signed as UTF-8
 * @returns the value of `webhook-signature`
 */
export function sign(
  secrets: readonly Uint8Array[],
  id: string,
  timestampSeconds: number,
  body: string,
): string {
  // Neither the id nor the timestamp contains a dot, so the content has one reading only.
  const content = `${id}.${timestampSeconds}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`,
  );
  return signatures.join(' ');
}
