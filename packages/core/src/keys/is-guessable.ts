import { isAscii, isUtf8 } from 'node:buffer';
import { guessedBits } from './guessable-text.ts';
import { formsOf } from './key-forms.ts';

/** A key is guessable if it is 2^24 times likelier that somebody made it up than that it is random. */
const MIN_GUESSABLE_BITS = 24;
/** How much of a key is examined, in case the integrator passes a whole file by mistake. */
const MAX_CHARACTERS = 256;

/** How to generate a key, for error messages. */
export const MAKE_A_KEY =
  'make one with openssl rand -base64 32, or with node -p "crypto.randomBytes(32).toString(\'base64\')"';

/** 128 or more bits in hex, with or without the dashes of a UUID. */
const HEX_RUN = /(?:[\da-f]-?){32,}/i;

/**
 * Whether a key, in any encoding that it may have, was made up: words, a password, one repeated byte, a sequence, or
 * letters beyond ASCII. Of random keys of 32 bytes, in hex or base64, fewer than one in three million are mistaken for
 * a made-up key.
 */
export function isGuessable(key: string | Uint8Array): boolean {
  if (!isMadeUp(key)) return false;
  // A prefix or quotes around 128 random bits may look made up, but do not weaken the key.
  const run = HEX_RUN.exec(Buffer.from(key).toString('latin1'))?.[0];
  return run === undefined || run.length === key.length || isMadeUp(run);
}

function isMadeUp(key: string | Uint8Array): boolean {
  return formsOf(key).some(
    ({ bytes, text, bits }) =>
      // No encoding of random bytes has letters beyond ASCII, and random bytes are almost never UTF-8.
      (isUtf8(bytes) && !isAscii(bytes)) ||
      guessedBits(text.slice(0, MAX_CHARACTERS), bits) >= MIN_GUESSABLE_BITS,
  );
}
