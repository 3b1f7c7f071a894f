/**
 * Any string, as one that PostgreSQL can hold: it has no NUL, and whatever is not well-formed would become
 * the same replacement character, so that two ids were one. Escaped as JSON escapes, without its quotes: no
 * two strings come to the same, and all but the odd ones stay as they are.
 */
export function storableText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The string that {@link storableText} made this of. */
export function storedText(stored: string): string {
  return JSON.parse(`"${stored}"`);
}
