import { compactText } from './compact-text.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** 10 bytes: many existing secrets are that short, although RFC 4226 4 requires 16 bytes. */
const MIN_LETTERS = 16;
/** 64 bytes, the maximum that `otplib` accepts. */
const MAX_LETTERS = 103;
/** Enough for separators and padding. Longer texts are rejected unread. */
const MAX_CHARS = 512;

/** How many bits of the last letter belong to no byte, by the number of letters in the last group (RFC 4648 6). */
const SPARE_BITS: Readonly<Record<number, number>> = { 0: 0, 2: 2, 4: 4, 5: 1, 7: 3 };

export type TotpSecretReading =
  /** Base32 of 10 to 64 bytes in capitals, without padding. */
  | { readonly outcome: 'read'; readonly secret: string }
  /** `mistake`: the reason, which quotes no character of the secret. */
  | { readonly outcome: 'unreadable'; readonly mistake: string };

/**
 * Reads a secret in the forms that tables contain: base32 (RFC 4648 6) in any letter case, with or without separators
 * and padding. Clears the spare bits of the last letter, like authenticator apps: some systems generate secrets letter
 * by letter, and set these bits.
 *
 * Does not decode the secret, because every look-up of a user calls this.
 */
export function readTotpSecret(value: unknown): TotpSecretReading {
  if (typeof value !== 'string') return unreadable('is no text');
  if (value.length > MAX_CHARS) return unreadable(`has more than ${MAX_CHARS} characters`);
  const text = compactText(value).replace(/=+$/, '');
  if (!/^[A-Za-z2-7]*$/.test(text)) return unreadable('has characters that base32 does not have');
  const letters = text.toUpperCase();
  const { length } = letters;
  if (length < MIN_LETTERS) return unreadable(`has ${length} letters: 80 bits take ${MIN_LETTERS}`);
  if (length > MAX_LETTERS) return unreadable(`has ${length} letters: at most ${MAX_LETTERS}`);
  const spareBits = SPARE_BITS[length % 8];
  if (spareBits === undefined) {
    return unreadable(`has ${length} letters, which no number of bytes has: is it cut off?`);
  }
  const lastBits = ALPHABET.indexOf(letters.slice(-1)) >> spareBits;
  return { outcome: 'read', secret: letters.slice(0, -1) + ALPHABET.charAt(lastBits << spareBits) };
}

function unreadable(mistake: string): TotpSecretReading {
  return { outcome: 'unreadable', mistake };
}

/**
 * The error for the host if a secret of the user store cannot be read.
 *
 * Security: the message contains the id of the user, but no part of the secret.
 */
export function unreadableSecret(userId: string, { mistake }: { readonly mistake: string }): Error {
  return new Error(
    `the user store answered a second factor that cannot be read: \`mfa.totpSecret\` of the user ${JSON.stringify(userId)} ${mistake}; it must be base32 of 10 to 64 bytes`,
  );
}
