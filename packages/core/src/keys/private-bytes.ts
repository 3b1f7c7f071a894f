import type { KeyObject } from 'node:crypto';

/**
 * Tag and length of an OCTET STRING of 32 bytes (X.690), by which PKCS #8 encodes a P-256 or Ed25519 key. The fields
 * before the key are constants of its kind, and do not contain these two bytes.
 */
const OCTET_STRING_HEADER = Buffer.from([0x04, 0x20]);
const LENGTH = 32;

/**
 * The 32 random bytes of a P-256 or Ed25519 key; `null` for an RSA key, which consists of primes.
 *
 * Reads the DER, because the export of a JWK may deadlock: see `toPublicKey` in `signing-key.ts`.
 */
export function privateBytes(privateKey: KeyObject): Buffer | null {
  if (privateKey.asymmetricKeyType === 'rsa') return null;
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  const start = der.indexOf(OCTET_STRING_HEADER) + OCTET_STRING_HEADER.length;
  return der.subarray(start, start + LENGTH);
}
