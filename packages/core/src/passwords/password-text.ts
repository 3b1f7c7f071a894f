/** NIST SP 800-63B-4 3.1.1.2 asks for 64 at least. A code point is four bytes at most: 1,024 bytes in all. */
export const MAX_PASSWORD_CODE_POINTS = 256;
/** Under the `u` flag a surrogate matches only if it is not part of a pair. */
const LONE_SURROGATE = /\p{Surrogate}/u;

export type PasswordTextOutcome =
  | { readonly outcome: 'ok' }
  /** `message` is constant text for the client. */
  | { readonly outcome: 'rejected'; readonly message: string };

/**
 * Whether a typed password can be hashed at all. Called before the user is looked up, so that the answer is the same
 * for everybody. Does not check strength, which matters when a password is chosen.
 *
 * Every character counts and none is cut off, not even NUL.
 */
export function checkPassword(text: string): PasswordTextOutcome {
  // The type forbids it, but hosts pass on any value of a body.
  if (typeof text !== 'string') return rejected('must be a string');
  if (text === '') return rejected('must not be empty');
  if (hasMoreCodePoints(text, MAX_PASSWORD_CODE_POINTS)) {
    return rejected(`must be at most ${MAX_PASSWORD_CODE_POINTS} characters`);
  }
  // Encoded as UTF-8 all lone surrogates become one and the same U+FFFD: different passwords would match.
  if (LONE_SURROGATE.test(text)) return rejected('must be well-formed Unicode');
  return { outcome: 'ok' };
}

/**
 * Whether a password may be chosen. A lenient decoder, such as the host's body parser, puts U+FFFD in the place of
 * every byte that is not UTF-8, so that different passwords would be equal. A login accepts U+FFFD because a password
 * that was chosen elsewhere may contain it.
 */
export function checkNewPassword(text: string): PasswordTextOutcome {
  const check = checkPassword(text);
  if (check.outcome === 'rejected' || !text.includes('\ufffd')) return check;
  return rejected('must not contain U+FFFD');
}

/** How a password is normalized before it is hashed. */
export type PasswordNormalization = 'NFC' | 'none';

/** NIST SP 800-63B-4 3.1.1.2: the same characters are the same password, even if keyboards compose them differently. */
export function normalizePassword(text: string, normalization: PasswordNormalization): string {
  return normalization === 'NFC' ? text.normalize('NFC') : text;
}

function hasMoreCodePoints(text: string, limit: number): boolean {
  // A code point takes two UTF-16 units at most, so longer text need not be counted.
  return text.length > 2 * limit || (text.length > limit && [...text].length > limit);
}

function rejected(message: string): PasswordTextOutcome {
  return { outcome: 'rejected', message };
}
