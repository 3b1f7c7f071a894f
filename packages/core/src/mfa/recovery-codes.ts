import { createHash } from 'node:crypto';
import { otplib } from '../loading/dependencies.ts';

/** How many a user has at a time. */
const COUNT = 10;

/** 80 bits: exactly 16 letters of base32. */
const BYTES = 10;

/** New recovery codes, as they are shown: `XXXX-XXXX-XXXX-XXXX`. */
export async function newRecoveryCodes(): Promise<readonly string[]> {
  const { generateSecret } = await otplib.load();
  return Array.from({ length: COUNT }, () =>
    generateSecret({ length: BYTES }).replace(/.{4}(?=.)/g, '$&-'),
  );
}

/**
 * The hash of a code, as it is stored, base64url.
 *
 * Security: hashed with the user's id, so that a table of hashes is useful against one user at most. A fast hash is a
 * weakness only for secrets that can be guessed, which 80 random bits cannot be (docs/adr/0017).
 *
 * @param code - With or without dashes, in upper case.
 */
export function hashRecoveryCode(userId: string, code: string): string {
  // The code has a fixed length, so no other pair makes the same text.
  return createHash('sha256').update(code.replaceAll('-', '')).update(userId).digest('base64url');
}
