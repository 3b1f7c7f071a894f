import { hash } from 'node:crypto';

/** Of the hash function (RFC 2104 2): the key is filled up to it. */
const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

/** How many bytes {@link hmacSha256} needs before what it authenticates. */
export const HMAC_ROOM_BYTES: number = BLOCK_BYTES;

/** The outer of the two hashes: a block of key, and the inner hash. Overwritten at each call. */
const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES);

/**
 * HMAC-SHA-256 (RFC 2104) in base64.
 *
 * Of two hashes, since `createHmac` takes twice as long (ADR 36): it makes an object for each message, which the
 * garbage collector has to finalise.
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
  // Bytes as text: a Buffer for them would take as long as the hash does.
  outer.write(hash('sha256', padded, 'binary'), BLOCK_BYTES, 'binary');
  return hash('sha256', outer, 'base64');
}
