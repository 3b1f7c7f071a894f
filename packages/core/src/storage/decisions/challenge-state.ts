import type { ChallengeContext, ChallengeRef } from '../challenge-store.ts';

/** What a store keeps of a challenge. JSON-safe, and never changed in place. For authors of storages. */
export interface ChallengeState extends ChallengeRef {
  /** What the login left, unchanged. */
  readonly context: ChallengeContext;
  /** From this time on it may be forgotten. Exclusive. */
  readonly expiresAtMs: number;
  /** How many attempts were reserved. */
  readonly attempts: number;
  /** The session that the right code started, or `null`. A re-sent `complete` is recognised by it. */
  readonly completedBy: string | null;
  /** Ended by `revokeAll` or `revokeOthers`; where a store has session versions, by being of an older one. */
  readonly isEnded: boolean;
}

/** Whether a challenge may still be answered: it was not ended, and has not expired. */
export function isAnswerable(
  challenge: ChallengeState | undefined,
  nowMs: number,
): challenge is ChallengeState {
  return challenge !== undefined && !challenge.isEnded && nowMs < challenge.expiresAtMs;
}
