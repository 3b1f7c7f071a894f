import { createHash } from 'node:crypto';
import { otplib } from '../loading/dependencies.ts';

/** The number of codes that a user gets. */
const CODE_COUNT = 10;

/** 80 bits: exactly 16 letters of base32. */
const BYTES_PER_CODE = 10;

/** Generates recovery codes in the form that users see: `XXXX-XXXX-XXXX-XXXX`. */
export async function newRecoveryCodes(): Promise<readonly string[]> {
  const { generateSecret } = await otplib.load();
  return Array.from({ length: CODE_COUNT }, () =>
    generateSecret({ length: BYTES_PER_CODE }).replace(/.{4}(?=.)/g, '$&-'),
  );
}

/**
 * The hash under which a code is stored, base64url.
 *
 * Security: the hash includes the user's id, so that a precomputed table helps against one user at most. A fast hash is
 * enough, because 80 random bits cannot be guessed (docs/adr/0017).
 *
 * @param code - in upper case, with or without dashes
 */
export function hashRecoveryCode(userId: string, code: string): string {
  // The code has a fixed length, so that no other pair of code and user id results in the same text.
  return createHash('sha256').update(code.replaceAll('-', '')).update(userId).digest('base64url');
}
