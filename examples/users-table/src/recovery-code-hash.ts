import { createHash } from 'node:crypto';

/**
 * What `recovery_codes.code_hash` holds. In the app rather than by a function of the database, whose logs may
 * show arguments.
 *
 * Security: a quick hash will do, as a code is 80 random bits. With the user's id, so that equal codes of two
 * users do not look equal.
 *
 * @param code - 16 characters of base32, without dashes.
 */
export function recoveryCodeHash(userId: string, code: string): string {
  // The code has a fixed length, so no other pair makes the same text.
  return createHash('sha256').update(code).update(userId).digest('base64url');
}
