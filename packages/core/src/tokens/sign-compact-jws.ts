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
 * jose verifies tokens, but does not sign them: it signs by WebCrypto, whose calls queue in libuv's thread pool after
 * password hashes, and cost twice as much as the signature (docs/adr/0011).
 */
export function signCompactJws(claims: object, typ: string, signingKey: SigningKey): string {
  const { alg, privateKey } = signingKey;
  const input = `${headerOf(signingKey, typ)}.${encode(claims)}`;
  // RFC 7518 3.4: r and s concatenated, not in DER. RSA and Ed25519 ignore the option.
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign(DIGEST[alg], Buffer.from(input), key).toString('base64url')}`;
}

/**
 * The length of the result of {@link signCompactJws}, without signing the claims.
 *
 * @param signatureBytes - the length of the signature
 */
export function compactJwsLength(
  claims: object,
  typ: string,
  {
    signingKey,
    signatureBytes,
  }: { readonly signingKey: SigningKey; readonly signatureBytes: number },
): number {
  const claimsBytes = Buffer.byteLength(JSON.stringify(claims));
  const header = headerOf(signingKey, typ);
  return `${header}..`.length + encodedLength(claimsBytes) + encodedLength(signatureBytes);
}

/** The length of base64url, without padding. */
function encodedLength(bytes: number): number {
  return Math.ceil((bytes * 4) / 3);
}

/** The last encoded header of each key: all tokens of one type have the same header. */
const headers = new WeakMap<SigningKey, { readonly typ: string; readonly encoded: string }>();

function headerOf(signingKey: SigningKey, typ: string): string {
  const cached = headers.get(signingKey);
  if (cached?.typ === typ) return cached.encoded;
  const { alg, kid } = signingKey;
  const encoded = encode({ alg, kid, typ });
  headers.set(signingKey, { typ, encoded });
  return encoded;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
