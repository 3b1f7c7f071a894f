/**
 * The value of `users.login_name` for an address: by the same rule as the column's, which only folds A to Z.
 * `toLowerCase()` alone folds more letters, and would look for names that the column never has.
 */
export function loginNameOf(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
