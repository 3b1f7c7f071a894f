import type { KeyObject } from 'node:crypto';

/** An OCTET STRING of 32 bytes (X.690), as PKCS #8 has the number of a P-256 key and the seed of an Ed25519 key. */
const OCTETS = Buffer.from([0x04, 0x20]);
const LENGTH = 32;

/**
 * The 32 bytes that a P-256 or Ed25519 key is made of; `null` for an RSA key, which is made of primes.
 *
 * From its DER, since the export of a JWK may deadlock: see `publicHalf` of `signing-key.ts`.
 */
export function privateBytes(privateKey: KeyObject): Buffer | null {
  if (privateKey.asymmetricKeyType === 'rsa') return null;
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  const at = der.indexOf(OCTETS) + OCTETS.length;
  return der.subarray(at, at + LENGTH);
}
