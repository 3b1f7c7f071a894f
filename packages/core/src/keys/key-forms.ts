import { isAscii } from 'node:buffer';

/** The ways in which a text may encode random bytes; `bits`: the entropy of one character. */
const ENCODINGS = [
  // Hex may have the separators of UUIDs and fingerprints.
  { pattern: /^(?:[\da-f][-: ]?)+$|^(?:[\dA-F][-: ]?)+$/, ignored: /[-: ]/g, name: 'hex', bits: 4 },
  { pattern: /^[\w+/-]+={0,2}$/, ignored: /=/g, name: 'base64', bits: 6 },
] as const;

/** The entropy of one of the 95 printable characters of ASCII. */
const PRINTABLE_BITS = Math.log2(95);

/** The key of an integrator, read in one of its possible encodings. */
export interface KeyForm {
  readonly bytes: Buffer;
  /** The key as text in which each character is one random choice: a letter of base64, or a byte. */
  readonly text: string;
  /** The entropy of a random character of the text; 0 if it cannot be judged: then no text counts as guessable. */
  readonly bits: number;
}

/**
 * Reads a secret in every encoding that it may have: first its bytes, trimmed if they are text; then, if that text is
 * hex or base64, the decoded bytes; and so on, because some tools encode twice.
 */
export function formsOf(secret: string | Uint8Array): readonly KeyForm[] {
  const bytes = Buffer.from(secret);
  if (!isAscii(bytes)) return [{ bytes, text: bytes.toString('latin1'), bits: 8 }];
  // Files end in a line feed, and openssl breaks long lines.
  const line = bytes.toString('latin1').trim().replace(/\r?\n/g, '');
  const plainForm = { bytes: Buffer.from(line), text: line, bits: PRINTABLE_BITS };
  const encoding = ENCODINGS.find(({ pattern }) => pattern.test(line));
  if (encoding === undefined) return [plainForm];
  const text = line.replace(encoding.ignored, '');
  const decoded = Buffer.from(text, encoding.name);
  // If the decoded bytes are text too, the letters that encode them are not random, and cannot be judged.
  const bits = isAscii(decoded) ? 0 : encoding.bits;
  return [{ ...plainForm, text, bits }, ...formsOf(decoded)];
}
