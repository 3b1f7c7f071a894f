import { isAscii, isUtf8 } from 'node:buffer';
import { guessedBits } from './guessable-text.ts';
import { formsOf } from './key-forms.ts';

/** A key is rejected if it is 2^24 times likelier that somebody made it up than that it is random. */
const MOST_GUESSED_BITS = 24;
/** How much of a key is examined, in case the integrator gives a whole file by mistake. */
const MOST_CHARACTERS = 256;

/** How to make a key, for messages of errors. */
export const MAKE_A_KEY =
  'make one with openssl rand -base64 32, or with node -p "crypto.randomBytes(32).toString(\'base64\')"';

/** 128 bits in hex, with or without the dashes of a UUID. A prefix or quotes around them make them no weaker. */
const HEX_RUN = /(?:[\da-f]-?){32,}/i;

/**
 * Whether a key was made up, in any encoding that it may have: words, a password, the same byte again and again, a
 * sequence, letters beyond ASCII. Of random keys of 32 bytes, in hex or base64, fewer than one in three million is
 * mistaken for one of these.
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
