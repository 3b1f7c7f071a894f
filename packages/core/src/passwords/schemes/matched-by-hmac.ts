import type { SchemeAnswer } from './password-scheme.ts';

/** Bytes of a block and of a digest (FIPS 180-4). */
const SIZES = {
  sha1: { block: 64, digest: 20 },
  sha256: { block: 64, digest: 32 },
  sha512: { block: 128, digest: 64 },
} as const;

/** The hash functions of HMAC that schemes support. */
export type HmacDigest = keyof typeof SIZES;

/**
 * The result for a password that matched as a key of HMAC (RFC 2104 2). HMAC pads a key with NULs to a block, and
 * replaces a longer key by its digest: so appended NULs make no difference, and a long password is equal to its digest.
 * For SHA-1, two such passwords that people could type are known.
 */
export function matchedByHmac(
  digest: HmacDigest,
  password: string,
): Extract<SchemeAnswer, 'match' | 'exact_match'> {
  const size = SIZES[digest];
  const bytes = Buffer.byteLength(password);
  const isOnlyKey = bytes <= size.block && bytes !== size.digest && !password.endsWith('\0');
  return isOnlyKey ? 'exact_match' : 'match';
}
