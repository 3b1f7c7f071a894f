import { createHmac } from 'node:crypto';

/** The signature `v1` of Standard Webhooks, without the prefix `v1,`. */
export function signatureOf(
  secret: Uint8Array,
  id: string,
  timestampSeconds: string,
  body: string | Uint8Array,
): string {
  return createHmac('sha256', secret)
    .update(`${id}.${timestampSeconds}.`)
    .update(body)
    .digest('base64');
}
