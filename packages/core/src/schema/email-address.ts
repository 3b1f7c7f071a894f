/** The longest e-mail address: RFC 5321 4.5.3.1.3, less the brackets around a path. */
export const MAX_EMAIL_CHARS = 254;

/**
 * Whether a text can be an e-mail address: one `@` with something on both sides, no space or control character, {@link
 * MAX_EMAIL_CHARS} at most. Linear in its length. Only the host knows whether mail can be delivered to it. Check the
 * text in its final form: nothing may normalise it afterwards.
 */
export function isEmailAddress(text: string): boolean {
  if (text.length > MAX_EMAIL_CHARS || !text.isWellFormed()) return false;
  const at = text.indexOf('@');
  if (at < 1 || at === text.length - 1 || text.indexOf('@', at + 1) !== -1) return false;
  return !/[\s\p{Cc}\p{Cf}]/u.test(text);
}
