import { createHash } from 'node:crypto';

/**
 * The value of `recovery_codes.code_hash`. It is computed in the app because logs of the database may contain the
 * arguments of its functions.
 *
 * Security: a fast hash is enough because a code has 80 random bits. The hash includes the user's id, so that equal
 * codes of two users have different hashes.
 *
 * @param code - 16 characters of base32, without dashes.
 */
export function recoveryCodeHash(userId: string, code: string): string {
  // Unambiguous because the code has a fixed length.
  return createHash('sha256').update(code).update(userId).digest('base64url');
}
