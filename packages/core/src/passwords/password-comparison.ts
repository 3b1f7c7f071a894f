import type { User } from '../users/users.ts';

/** What the comparison of a password comes to. */
export type PasswordComparison =
  /** `needsRehash`: today's parameters would make a better hash than the stored one. */
  | { readonly outcome: 'match'; readonly needsRehash: boolean }
  /** `reason` is for events alone: the client must not be able to tell them apart. */
  | {
      readonly outcome: 'mismatch';
      readonly reason: 'unknown_user' | 'wrong_password' | 'disabled' | 'unusable_hash';
    };

export type PasswordOutcome =
  | PasswordComparison
  /** Too many logins came at once; nothing was compared. */
  | { readonly outcome: 'shed'; readonly reason: 'queue_full' | 'wait_too_long' };

/** Compares a password, without a bound on how many are compared at once. */
export type ComparePassword = (user: User | null, password: string) => Promise<PasswordComparison>;
