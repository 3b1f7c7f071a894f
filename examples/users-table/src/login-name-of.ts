/**
 * What `users.login_name` holds for an address: the same rule as the column's, which knows A to Z alone.
 * `toLowerCase()` by itself knows more letters, and would look for names that the column never has.
 */
export function loginNameOf(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
