import { isAscii } from 'node:buffer';

/** How a text may spell random bytes; `bits`: what one of its characters holds. */
const ALPHABETS = [
  // Also as UUIDs and fingerprints have it.
  { spelt: /^(?:[\da-f][-: ]?)+$|^(?:[\dA-F][-: ]?)+$/, ignored: /[-: ]/g, decode: 'hex', bits: 4 },
  { spelt: /^[\w+/-]+={0,2}$/, ignored: /=/g, decode: 'base64', bits: 6 },
] as const;

/** Of printable ASCII, 95 characters. */
const PRINTABLE_BITS = Math.log2(95);

/** A key of the integrator's as they may have meant it. */
export interface KeyForm {
  readonly bytes: Buffer;
  /** The same as text, one character for each that was chosen at random: a letter of base64, or a byte. */
  readonly text: string;
  /** What a random character of the text holds; 0: nothing that could be judged. */
  readonly bits: number;
}

/**
 * Reads a secret in every form that it may have: as its bytes, without white space around them if they are text; if
 * that is hex or base64, what it spells; and so on, since some tools encode what is encoded.
 */
export function formsOf(secret: string | Uint8Array): readonly KeyForm[] {
  const bytes = Buffer.from(secret);
  if (!isAscii(bytes)) return [{ bytes, text: bytes.toString('latin1'), bits: 8 }];
  // Files end in a line feed, and openssl breaks long lines.
  const written = bytes.toString('latin1').trim().replace(/\r?\n/g, '');
  const alphabet = ALPHABETS.find(({ spelt }) => spelt.test(written));
  const asText = { bytes: Buffer.from(written), text: written, bits: PRINTABLE_BITS };
  if (alphabet === undefined) return [asText];
  const text = written.replace(alphabet.ignored, '');
  const spelt = Buffer.from(text, alphabet.decode);
  // If that is text again, its characters are no random ones of this alphabet.
  const bits = isAscii(spelt) ? 0 : alphabet.bits;
  return [{ ...asText, text, bits }, ...formsOf(spelt)];
}
