import { isAscii } from 'node:buffer';

/** How a text may encode random bytes; `bits`: the entropy of one of its characters. */
const ALPHABETS = [
  // Also with the separators of UUIDs and fingerprints.
  { spelt: /^(?:[\da-f][-: ]?)+$|^(?:[\dA-F][-: ]?)+$/, ignored: /[-: ]/g, decode: 'hex', bits: 4 },
  { spelt: /^[\w+/-]+={0,2}$/, ignored: /=/g, decode: 'base64', bits: 6 },
] as const;

/** Of printable ASCII, 95 characters. */
const PRINTABLE_BITS = Math.log2(95);

/** A key of the integrator's, as one of the encodings that they may have meant. */
export interface KeyForm {
  readonly bytes: Buffer;
  /** The key as text, with one character for each random choice: a letter of base64, or a byte. */
  readonly text: string;
  /** The entropy of a random character of the text; 0: such a text cannot be judged. */
  readonly bits: number;
}

/**
 * Reads a secret in every encoding that it may have: as its bytes, without white space around them if they are text; if
 * that is hex or base64, as what it decodes to; and so on, since some tools encode twice.
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
  // If that is text again, the letters that encode it are not random, and cannot be judged.
  const bits = isAscii(spelt) ? 0 : alphabet.bits;
  return [{ ...asText, text, bits }, ...formsOf(spelt)];
}
