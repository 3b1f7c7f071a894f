import { hash } from 'node:crypto';

/** Of the hash function (RFC 2104 2): the key is filled up to it. */
const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

/** How many bytes {@link hmacSha256} needs before what it authenticates. */
export const HMAC_ROOM_BYTES: number = BLOCK_BYTES;

/** What the outer hash is of: a block of key, and the inner hash. Private, and overwritten at each call. */
const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES);

/**
 * HMAC-SHA-256 (RFC 2104) in base64.
 *
 * Of two hashes, since `createHmac` makes an object for each message, which takes a third longer and which the garbage
 * collector has to finalise (ADR 51).
 *
 * Security: nothing of the key is left in `padded`, which may be of memory that is used again.
 *
 * @param padded - what is authenticated, behind `HMAC_ROOM_BYTES` bytes that are overwritten
 */
export function hmacSha256(key: Uint8Array, padded: Uint8Array): string {
  const block = key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key;
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    const byte = block[at] ?? 0;
    padded[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  // Bytes as text: making a Buffer of them takes as long as hashing (ADR 51).
  outer.write(hash('sha256', padded, 'binary'), BLOCK_BYTES, 'binary');
  padded.fill(0, 0, BLOCK_BYTES);
  return hash('sha256', outer, 'base64');
}
