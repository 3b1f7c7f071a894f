import { createHash } from 'node:crypto';

/** How many a user has at a time. */
const COUNT = 10;

/** 80 bits: 16 letters of base32, without a rest. */
const BYTES = 10;

/** New recovery codes, as they are shown: `XXXX-XXXX-XXXX-XXXX`. */
export async function newRecoveryCodes(): Promise<readonly string[]> {
  const { generateSecret } = await import('otplib');
  return Array.from({ length: COUNT }, () =>
    generateSecret({ length: BYTES }).replace(/.{4}(?=.)/g, '$&-'),
  );
}

/**
 * What is stored of a code, base64url.
 *
 * Security: with the user's id, so that one table of hashes serves for one user at most. That it is quick to
 * compute matters to who can be guessed, not to 80 random bits (ADR 29).
 *
 * @param code - With or without dashes, in upper case.
 */
export function hashRecoveryCode(userId: string, code: string): string {
  // The code has a fixed length, so no other pair makes the same text.
  return createHash('sha256').update(code.replaceAll('-', '')).update(userId).digest('base64url');
}
