import { isAscii, isUtf8 } from 'node:buffer';
import { guessedBits } from './guessable-text.ts';
import { formsOf } from './key-forms.ts';

/** A key is rejected if it is 2^24 times likelier that somebody made it up than that it is random. */
const MOST_GUESSED_BITS = 24;
/** So much of a key is looked at: more than a key has that is read from a file by mistake. */
const MOST_CHARACTERS = 256;

/** How to make a key, for what is thrown. */
export const MAKE_A_KEY =
  'make one with openssl rand -base64 32, or with node -p "crypto.randomBytes(32).toString(\'base64\')"';

/** 128 bits in hex, also as a UUID: whatever stands around them, such as a prefix or quotes, makes them no weaker. */
const HEX_RUN = /(?:[\da-f]-?){32,}/i;

/**
 * Whether a key is no random one, in whatever form it is given: words, a password, the same byte again and again, a
 * sequence, letters beyond ASCII. Of random keys of 32 bytes, spelt in hex or base64, fewer than one in three million
 * is taken for one of these.
 */
export function isGuessable(key: string | Uint8Array): boolean {
  if (!isMadeUp(key)) return false;
  const run = HEX_RUN.exec(Buffer.from(key).toString('latin1'))?.[0];
  return run === undefined || run.length === key.length || isMadeUp(run);
}

function isMadeUp(key: string | Uint8Array): boolean {
  return formsOf(key).some(
    ({ bytes, text, bits }) =>
      // No encoding of random bytes has such letters, and random bytes are almost never UTF-8.
      (isUtf8(bytes) && !isAscii(bytes)) ||
      guessedBits(text.slice(0, MOST_CHARACTERS), bits) >= MOST_GUESSED_BITS,
  );
}
