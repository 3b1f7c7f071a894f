/** Spaces, invisible characters, dashes of any length, and the minus sign. */
const SEPARATORS = /[\s\p{Cf}\p{Pd}\u2212]/gu;

/** Removes the separators from a typed or pasted text, and converts full-width characters to ASCII. */
export function compactText(typed: string): string {
  return typed.normalize('NFKC').replace(SEPARATORS, '');
}
