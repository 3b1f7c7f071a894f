import { sign } from 'node:crypto';
import type { SigningAlgorithm, SigningKey } from '../keys/signing-key.ts';

/** Ed25519 hashes by itself (RFC 8037 3.1). */
const DIGEST: Readonly<Record<SigningAlgorithm, string | null>> = {
  ES256: 'sha256',
  EdDSA: null,
  RS256: 'sha256',
};

/**
 * Signs claims as a compact JWS (RFC 7515 7.1), synchronously.
 *
 * jose verifies these, but does not sign them: it signs by WebCrypto, whose every call waits in libuv's pool behind
 * password hashes, and costs twice what the signature does (docs/adr/0011).
 */
export function signCompactJws(
  claims: object,
  typ: string,
  { alg, kid, privateKey }: SigningKey,
): string {
  const input = `${encode({ alg, kid, typ })}.${encode(claims)}`;
  // RFC 7518 3.4: r and s side by side, not in DER. RSA and Ed25519 ignore the option.
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign(DIGEST[alg], Buffer.from(input), key).toString('base64url')}`;
}

/** How many characters {@link signCompactJws} makes of claims, without signing them. */
export function compactJwsLength(
  claims: object,
  typ: string,
  { alg, kid, signatureBytes }: Pick<SigningKey, 'alg' | 'kid' | 'signatureBytes'>,
): number {
  const parts = [byteLength({ alg, kid, typ }), byteLength(claims), signatureBytes];
  // Base64url without padding, and the dots between the parts.
  return parts.reduce((sum, bytes) => sum + Math.ceil((bytes * 4) / 3), parts.length - 1);
}

function byteLength(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
