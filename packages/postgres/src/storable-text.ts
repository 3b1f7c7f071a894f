/**
 * Encodes any string as one that PostgreSQL can store. PostgreSQL rejects NUL, and all lone surrogates would become the
 * same replacement character, so that two ids would be equal. The encoding is that of JSON without the quotes: distinct
 * strings stay distinct, and ordinary strings are unchanged.
 */
export function storableText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Decodes the result of {@link storableText}. */
export function storedText(stored: string): string {
  return JSON.parse(`"${stored}"`);
}
