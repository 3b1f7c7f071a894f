/**
 * The value of `users.login_name` for an e-mail address. Folds only A to Z, as the column does: `toLowerCase()` folds
 * more letters, and would return names that the column never has.
 */
export function loginNameOf(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
