/** A code as the user typed it, told apart by its shape. */
export type ChallengeCode =
  | { readonly kind: 'totp'; readonly digits: string }
  /** 16 characters of base32, upper case, without dashes. */
  | { readonly kind: 'recovery'; readonly code: string };

/** Six digits, as a number. */
export const LARGEST_CODE = 999_999;

/** Reads a code, or answers `null` for any other shape, which costs no attempt. */
export function readChallengeCode(typed: string | number): ChallengeCode | null {
  if (typeof typed === 'number') {
    // A client that sent the code as a number has lost its leading zeros on the way.
    if (!Number.isInteger(typed) || typed < 0 || typed > LARGEST_CODE) return null;
    return { kind: 'totp', digits: String(typed).padStart(6, '0') };
  }
  if (/^[0-9]{6}$/.test(typed) && typed.length === 6) return { kind: 'totp', digits: typed };
  if (typed.length > 32 || !/^[A-Za-z2-7-]+$/.test(typed)) return null;
  const code = typed.replaceAll('-', '').toUpperCase();
  return code.length === 16 ? { kind: 'recovery', code } : null;
}
