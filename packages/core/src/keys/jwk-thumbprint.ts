import { createHash, type JsonWebKeyInput } from 'node:crypto';

/** The members that identify a key, in lexicographic order (RFC 7638 3.2, RFC 8037 2). */
const IDENTIFYING_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

/**
 * The SHA-256 thumbprint of a key, base64url (RFC 7638). It is the same for the private and the public half.
 *
 * Synchronous, unlike jose's, so that keys can be read in a constructor.
 */
export function jwkThumbprint(jwk: JsonWebKeyInput['key']): string {
  const members = IDENTIFYING_MEMBERS[jwk.kty ?? ''];
  if (members === undefined) throw new TypeError(`No thumbprint is defined for kty ${jwk.kty}`);
  // An array of names makes JSON.stringify pick those members, in that order.
  return createHash('sha256')
    .update(JSON.stringify(jwk, [...members]))
    .digest('base64url');
}
