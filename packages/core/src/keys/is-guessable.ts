import { isAscii, isUtf8 } from 'node:buffer';
import { guessedBits } from './guessable-text.ts';
import { formsOf } from './key-forms.ts';

/** A key is refused if it is 2^24 times likelier that somebody made it up than that it is random. */
const MOST_GUESSED_BITS = 24;
/** So much of a key is looked at: more than a key has that is read from a file by mistake. */
const MOST_CHARACTERS = 256;

/** How to make a key, for what is thrown. */
export const MAKE_A_KEY =
  'make one with openssl rand -base64 32, or with node -p "crypto.randomBytes(32).toString(\'base64\')"';

/**
 * Whether a key is no random one, in whatever form it is given: words, a password, the same byte again and again, a
 * sequence, letters beyond ASCII. Of random keys of 32 bytes fewer than one in three million is taken for one of these.
 */
export function isGuessable(key: string | Uint8Array): boolean {
  return formsOf(key).some(
    ({ bytes, text, bits }) =>
      // No encoding of random bytes has such letters, and random bytes are almost never UTF-8.
      (isUtf8(bytes) && !isAscii(bytes)) ||
      guessedBits(text.slice(0, MOST_CHARACTERS), bits) >= MOST_GUESSED_BITS,
  );
}
