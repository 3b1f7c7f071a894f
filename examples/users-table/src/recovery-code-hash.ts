import { createHash } from 'node:crypto';

/**
 * The value of `recovery_codes.code_hash`. Made in the app and not by a function of the database, whose logs may show
 * arguments.
 *
 * Security: a fast hash is enough, as a code is 80 random bits. The user's id is included, so that equal codes of two
 * users do not look equal.
 *
 * @param code - 16 characters of base32, without dashes.
 */
export function recoveryCodeHash(userId: string, code: string): string {
  // The code has a fixed length, so no other pair makes the same text.
  return createHash('sha256').update(code).update(userId).digest('base64url');
}
