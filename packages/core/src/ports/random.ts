import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Asking for 16 bytes costs as much as asking for 256 times as many. Node's `randomUUID` keeps such a pool too. */
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/** A fresh identifier of 128 random bits, base64url. Synchronous, so that it never waits behind a hash. */
export function randomId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString('base64url', used - ID_BYTES, used);
}
