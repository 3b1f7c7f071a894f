import type { AnyUser } from '../users/users.ts';

/** The outcome of comparing a password with a stored hash. */
export type HashComparison =
  /**
   * `needsRehash`: today's parameters make a better hash than the stored one, and the scheme vouches that no other
   * password matches it, so that a hash of this one can replace it.
   */
  | { readonly outcome: 'match'; readonly needsRehash: boolean }
  /** `unusable_hash`: no password matches: there is no hash, it is damaged, or no scheme recognises it. */
  | { readonly outcome: 'mismatch'; readonly reason: 'wrong_password' | 'unusable_hash' };

/** The outcome of comparing a password with that of a user. */
export type PasswordComparison =
  | HashComparison
  /** `reason` is for events alone: the client must not be able to tell them apart. */
  | { readonly outcome: 'mismatch'; readonly reason: 'unknown_user' | 'disabled' };

export type PasswordOutcome =
  | PasswordComparison
  /** Too many logins came at once; nothing was compared. */
  | { readonly outcome: 'shed'; readonly reason: 'queue_full' | 'wait_too_long' };

/** Compares a password, without a bound on how many are compared at once. */
export type ComparePassword = (
  user: AnyUser | null,
  password: string,
) => Promise<PasswordComparison>;
