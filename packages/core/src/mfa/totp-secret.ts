import { compactText } from './compact-text.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Letters of 10 bytes: authenticator apps have been given as few for years, though RFC 4226 4 asks for 16. */
const MIN_LETTERS = 16;
/** Letters of 64 bytes, which is the most that `otplib` accepts. */
const MAX_LETTERS = 103;
/** Enough for groups and padding. Longer texts are rejected unread. */
const MAX_CHARS = 512;

/** Bits of the last letter that belong to no byte, by the length of the last group (RFC 4648 6). */
const SPARE_BITS: Readonly<Record<number, number>> = { 0: 0, 2: 2, 4: 4, 5: 1, 7: 3 };

export type TotpSecretReading =
  /** Base32 of 10 to 64 bytes in capitals, without padding. */
  | { readonly outcome: 'read'; readonly secret: string }
  /** `mistake`: what is wrong, without any of its characters. */
  | { readonly outcome: 'unreadable'; readonly mistake: string };

/**
 * Reads a secret as people and tables hold it: base32 (RFC 4648 6) in either case, in groups, padded or not. Spare bits
 * of the last letter are dropped, as authenticator apps do with secrets that were drawn letter by letter.
 *
 * Called at every look-up of its user, so it decodes nothing.
 */
export function readTotpSecret(value: unknown): TotpSecretReading {
  if (typeof value !== 'string') return unreadable('is no text');
  if (value.length > MAX_CHARS) return unreadable(`has more than ${MAX_CHARS} characters`);
  const typed = compactText(value).replace(/=+$/, '');
  if (!/^[A-Za-z2-7]*$/.test(typed)) return unreadable('has characters that base32 does not have');
  const letters = typed.toUpperCase();
  const { length } = letters;
  if (length < MIN_LETTERS) return unreadable(`has ${length} letters: 80 bits take ${MIN_LETTERS}`);
  if (length > MAX_LETTERS) return unreadable(`has ${length} letters: at most ${MAX_LETTERS}`);
  const spareBits = SPARE_BITS[length % 8];
  if (spareBits === undefined) {
    return unreadable(`has ${length} letters, which no number of bytes has: is it cut off?`);
  }
  const last = ALPHABET.indexOf(letters.slice(-1)) >> spareBits;
  return { outcome: 'read', secret: letters.slice(0, -1) + ALPHABET.charAt(last << spareBits) };
}

function unreadable(mistake: string): TotpSecretReading {
  return { outcome: 'unreadable', mistake };
}

/**
 * What is wrong with a secret of the user store that cannot be read, for the host.
 *
 * Security: names the user, and nothing of the secret.
 */
export function unreadableSecret(userId: string, { mistake }: { readonly mistake: string }): Error {
  return new Error(
    `the user store answered a second factor that cannot be read: \`mfa.totpSecret\` of the user ${JSON.stringify(userId)} ${mistake}; it must be base32 of 10 to 64 bytes`,
  );
}
