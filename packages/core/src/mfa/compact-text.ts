/** Spaces, invisible characters, dashes of any length, and the minus sign. */
const SEPARATORS = /[\s\p{Cf}\p{Pd}\u2212]/gu;

/** Typed or pasted text without separators between its groups; full-width characters become ASCII. */
export function compactText(typed: string): string {
  return typed.normalize('NFKC').replace(SEPARATORS, '');
}
