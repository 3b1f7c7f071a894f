import type { ChallengeState, FactorLock, SessionState } from '@latchhook/core/storage';

/** What an item of each kind holds. JSON-safe, and never changed in place. */
export interface Kinds {
  readonly session: SessionState;
  readonly challenge: ChallengeState;
  /** One for each user who ever used a second factor. Has no id, and is kept for good. */
  readonly factorLock: FactorLock;
  /** One for each user whose sessions were all revoked. Has no id, and is kept for good. */
  readonly revocation: { readonly atMs: number };
  readonly counter: { readonly points: number; readonly endsAtMs: number };
}
