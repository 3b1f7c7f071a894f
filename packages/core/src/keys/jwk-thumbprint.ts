import { createHash, type JsonWebKeyInput } from 'node:crypto';

/** The members that identify a key, in lexicographic order (RFC 7638 3.2, RFC 8037 2). */
const IDENTIFYING_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

/**
 * The SHA-256 thumbprint of a key, base64url (RFC 7638). It is the same for the private and the public key.
 *
 * Synchronous, unlike the function of jose, so that `createAuth` can read keys synchronously.
 */
export function jwkThumbprint(jwk: JsonWebKeyInput['key']): string {
  const members = IDENTIFYING_MEMBERS[jwk.kty ?? ''];
  if (members === undefined) throw new TypeError(`No thumbprint is defined for kty ${jwk.kty}`);
  // For an array of names, JSON.stringify writes only these members, in this order.
  return createHash('sha256')
    .update(JSON.stringify(jwk, [...members]))
    .digest('base64url');
}
