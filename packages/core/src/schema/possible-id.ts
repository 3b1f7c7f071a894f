/**
 * Whether a text can be an id of ours: none has a character that a URL must encode. A store need not be asked for any
 * other, and may not be able to compare it.
 */
export function isPossibleId(text: unknown): boolean {
  return typeof text === 'string' && /^[\w-]{1,128}$/.test(text);
}
