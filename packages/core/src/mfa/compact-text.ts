/** Spaces, invisible characters, dashes of any length, and the minus sign. */
const SEPARATORS = /[\s\p{Cf}\p{Pd}\u2212]/gu;

/** What was typed or pasted, less what separates its groups, and with characters of full width as the usual ones. */
export function compactText(typed: string): string {
  return typed.normalize('NFKC').replace(SEPARATORS, '');
}
