import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Random bytes for 256 ids cost about as much as for one, so they are drawn together, as in Node's `randomUUID`. */
const POOL_IDS = 256;

/**
 * Returns a function that makes fresh identifiers: a prefix, and 128 random bits in base64url. It is synchronous: an
 * asynchronous call would queue after password hashes for libuv's threads.
 *
 * The prefix is base64url too, and is encoded together with the random bytes, so that V8 stores an identifier as one
 * string: it would store a concatenation as three.
 *
 * @param prefix - 4, 8 or more characters in groups of four: base64url encodes three bytes as four characters
 */
export function createIdGenerator(prefix: string): () => string {
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
export const randomId: () => string = createIdGenerator('');
