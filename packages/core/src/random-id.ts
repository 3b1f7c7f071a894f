import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Asking for 16 bytes costs as much as asking for 256 times as many. Node's `randomUUID` keeps such a pool too. */
const POOL_IDS = 256;

/**
 * Returns a function that makes fresh identifiers: a prefix, and 128 random bits in base64url. Synchronous, so that it
 * never waits behind a hash.
 *
 * The prefix is base64url too, and is encoded as the first bytes of each, so that an identifier is one piece of text in
 * memory. A concatenation would be kept as three.
 *
 * @param prefix - of four characters, eight ...: base64url encodes three bytes as four characters
 */
export function createIds(prefix: string): () => string {
  const head = Buffer.from(prefix, 'base64url');
  if (prefix.length % 4 !== 0 || head.toString('base64url') !== prefix)
    throw new RangeError(`${prefix} is not whole groups of four base64url characters`);
  const length = head.length + ID_BYTES;
  const pool = Buffer.alloc(POOL_IDS * length);
  let used = pool.length;

  function fill(): void {
    randomFillSync(pool);
    for (let at = 0; at < pool.length; at += length) pool.set(head, at);
    used = 0;
  }

  return () => {
    if (used === pool.length) fill();
    used += length;
    return pool.toString('base64url', used - length, used);
  };
}

/** A fresh identifier without a prefix. */
export const randomId: () => string = createIds('');
