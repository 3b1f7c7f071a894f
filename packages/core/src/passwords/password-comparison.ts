import type { AnyUser } from '../users/users.ts';
import type { Shed } from './hash-limiter.ts';

/** The outcome of comparing a password with a stored hash. */
export type HashComparison =
  /**
   * `needsRehash`: a hash with today's parameters would be better than the stored one, and can replace it, because the
   * scheme guarantees that no other password matches.
   */
  | { readonly outcome: 'match'; readonly needsRehash: boolean }
  /** `unusable_hash`: there is no hash, the hash is damaged, or no scheme recognises it. No password matches. */
  | { readonly outcome: 'mismatch'; readonly reason: 'wrong_password' | 'unusable_hash' };

/** The outcome of comparing a password with the stored password of a user. */
export type PasswordComparison =
  | HashComparison
  /** `reason` is only for events: the client must not be able to tell the reasons apart. */
  | { readonly outcome: 'mismatch'; readonly reason: 'unknown_user' | 'disabled' };

/** `Shed`: too many logins came together, and nothing was compared. */
export type PasswordOutcome = PasswordComparison | Shed;

/** Compares a password, without a limit of how many are compared at a time. */
export type ComparePassword = (
  user: AnyUser | null,
  password: string,
) => Promise<PasswordComparison>;
