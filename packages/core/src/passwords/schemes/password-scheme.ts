/**
 * How a typed password compares with a stored hash.
 *
 * - `exact_match`: right, and every byte of it counted, so that no other password matches this hash. Under the option
 *   `passwords.upgradeHashes`, an argon2id hash of these bytes replaces the stored one.
 * - `match`: right, but other passwords match too, because the scheme trims, folds or truncates them, and the user may
 *   have chosen another. The stored hash is kept because a new one would reject the password that they chose.
 * - `mismatch`: wrong.
 * - `unusable`: the stored hash is damaged, or demands more work than the scheme permits.
 */
export type SchemeAnswer = 'exact_match' | 'match' | 'mismatch' | 'unusable';

/**
 * A format in which the users table already holds passwords. Under the option `passwords.upgradeHashes`, a login for
 * which it returns `exact_match` gives the user an argon2id hash instead, so a scheme can be dropped one day.
 *
 * Security: while a user still has such a hash, a wrong password takes as long as the scheme, not as long as argon2id,
 * so the timing may reveal that the user exists.
 *
 * @example
 * ```ts
 * import { createHash, timingSafeEqual } from 'node:crypto';
 * import type { PasswordScheme } from '@latchhook/core';
 *
 * // Hashes written as `sha512:<hex of the salt>:<hex of the digest>`.
 * const saltedSha512: PasswordScheme = {
 *   name: 'sha512',
 *   recognises: (hash) => hash.startsWith('sha512:'),
 *   async verify(hash, password) {
 *     const [, salt, digest] = hash.split(':');
 *     if (salt === undefined || digest?.length !== 128) return 'unusable';
 *     const typed = createHash('sha512').update(salt, 'hex').update(password).digest();
 *     // SHA-512 looks at every byte of the password. A scheme that trims or folds it first answers 'match'.
 *     return timingSafeEqual(typed, Buffer.from(digest, 'hex')) ? 'exact_match' : 'mismatch';
 *   },
 * };
 * ```
 */
export interface PasswordScheme {
  /** Names the scheme in faults. */
  readonly name: string;
  /** Whether a stored hash is of this scheme, by its form; the first scheme that returns true gets it. */
  recognises(hash: string): boolean;
  /**
   * Compares the password, as it was typed, with a hash that the scheme recognises. Return `match` if in doubt: only
   * `exact_match` lets the hash be replaced.
   *
   * Must limit the work that stored parameters demand, and do it off the main thread if it takes more than a
   * millisecond. A rejection is a fault: the client is answered 500.
   */
  verify(hash: string, password: string): Promise<SchemeAnswer>;
}
