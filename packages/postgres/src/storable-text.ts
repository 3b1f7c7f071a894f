/**
 * Turns any string into one that PostgreSQL can hold. It takes no NUL, and lone surrogates would all become the same
 * replacement character, so that two ids were one. Escaped as in JSON, without the quotes: no two strings come to the
 * same, and ordinary ones stay as they are.
 */
export function storableText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Undoes {@link storableText}. */
export function storedText(stored: string): string {
  return JSON.parse(`"${stored}"`);
}
