import * as crypto from 'node:crypto';

/** SHA-256 of a token, as a string. It recognises a token that was seen before, and cannot be used as one. */
export type TokenDigest = string & { readonly __digest: never };

/**
 * The digest of a token. `crypto.hash` takes 0.6 us for a token of 700 characters, a `createHash` chain
 * 1 us; `binary` spares the encoding.
 */
export function digestToken(token: string): TokenDigest {
  return crypto.hash('sha256', token, 'binary') as TokenDigest;
}
