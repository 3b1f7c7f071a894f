/**
 * Whether a text can be an id that Latchhook has made: such ids have no character that a URL must encode. Check this
 * before asking a store, which may not be able to compare other text.
 */
export function isPossibleId(text: unknown): boolean {
  return typeof text === 'string' && /^[\w-]{1,128}$/.test(text);
}
