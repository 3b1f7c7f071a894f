import type { User } from '../users.ts';

/** What is found once the work has been done. */
export type Judgement =
  /** `needsRehash`: today's parameters would make a better hash than the stored one. */
  | { readonly outcome: 'match'; readonly needsRehash: boolean }
  /** `reason` is for events alone: to the client all are one. */
  | {
      readonly outcome: 'mismatch';
      readonly reason: 'unknown_user' | 'wrong_password' | 'disabled' | 'unusable_hash';
    };

export type PasswordVerdict =
  | Judgement
  /** Too much is going on; nothing was compared. */
  | { readonly outcome: 'shed'; readonly reason: 'queue_full' | 'wait_too_long' };

/** Judges a password without any bound on how many do so at once. */
export type PasswordJudge = (user: User | null, password: string) => Promise<Judgement>;
