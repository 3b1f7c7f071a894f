/**
 * Whether a text can be an id of ours: none has a character that a URL must encode. Call it before asking a store,
 * which may not be able to compare other text.
 */
export function isPossibleId(text: unknown): boolean {
  return typeof text === 'string' && /^[\w-]{1,128}$/.test(text);
}
