import { HMAC_ROOM_BYTES, hmacSha256 } from './hmac-sha256.ts';

/** A body, and what proves where it comes from. */
export interface Signed {
  /** The value of `webhook-signature`. */
  readonly signatures: string;
  /** In UTF-8: the very bytes that are signed. */
  readonly body: Uint8Array;
}

/**
 * Signs a body by Standard Webhooks: one HMAC-SHA256 for each secret, so that a receiver can verify with any of them.
 *
 * @param secrets - the bytes behind `whsec_`
 * @param timestampSeconds - as in `webhook-timestamp`
 */
export function sign(
  secrets: readonly Uint8Array[],
  id: string,
  timestampSeconds: number,
  body: string,
): Signed {
  // Neither id nor timestamp has a dot in it, so no other three give the same content.
  const head = `${id}.${timestampSeconds}.`;
  const bodyAt = HMAC_ROOM_BYTES + head.length;
  const bytes = Buffer.allocUnsafe(bodyAt + Buffer.byteLength(body));
  bytes.write(head, HMAC_ROOM_BYTES, 'latin1');
  bytes.write(body, bodyAt);
  const signatures = secrets.map((secret) => `v1,${hmacSha256(secret, bytes)}`).join(' ');
  return { signatures, body: bytes.subarray(bodyAt) };
}
