// Imported here and elsewhere: the global one is an accessor, which V8 does not inline.
import { Buffer } from 'node:buffer';
import { HMAC_ROOM_BYTES, hmacSha256 } from './hmac-sha256.ts';

/** The bytes of a body, and what proves where they come from. */
export interface Signed {
  /** The value of `webhook-signature`. */
  readonly signatures: string;
  /** The body in UTF-8: the very bytes that are signed. */
  readonly bytes: Uint8Array;
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
  const padded = Buffer.allocUnsafe(bodyAt + Buffer.byteLength(body));
  padded.write(head, HMAC_ROOM_BYTES, 'latin1');
  padded.write(body, bodyAt);
  const signatures = secrets.map((secret) => `v1,${hmacSha256(secret, padded)}`).join(' ');
  return { signatures, bytes: padded.subarray(bodyAt) };
}
