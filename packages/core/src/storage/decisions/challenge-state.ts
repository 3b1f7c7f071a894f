import type { ChallengeContext, ChallengeRef } from '../challenge-store.ts';

/** What a store keeps of a challenge. JSON-safe, and never changed in place. For who writes a storage. */
export interface ChallengeState extends ChallengeRef {
  /** What the login left, as it was handed over. */
  readonly context: ChallengeContext;
  /** From then on it may be forgotten. Exclusive. */
  readonly expiresAtMs: number;
  /** Those that were reserved. */
  readonly attempts: number;
  /** The session that the right code has started, or `null`. Kept with it, so that a re-sent command finds it so. */
  readonly completedBy: string | null;
  /** Ended by `revokeAll` or `revokeOthers`; where a store has epochs, by being of an older one. */
  readonly isEnded: boolean;
}

/** Whether its user may still be heard: it was not ended, and its time is not over. */
export function isAnswerable(
  challenge: ChallengeState | undefined,
  nowMs: number,
): challenge is ChallengeState {
  return challenge !== undefined && !challenge.isEnded && nowMs < challenge.expiresAtMs;
}
