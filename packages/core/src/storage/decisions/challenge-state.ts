import type { ChallengeContext, ChallengeRef } from '../challenge-store.ts';

/** The stored state of a challenge. JSON-safe, and never changed in place. For authors of storages. */
export interface ChallengeState extends ChallengeRef {
  /** The context of the login, unchanged. */
  readonly context: ChallengeContext;
  /** When the challenge expires (exclusive); it may be deleted from then on. */
  readonly expiresAtMs: number;
  /** The number of reserved attempts. */
  readonly attempts: number;
  /**
   * The session that the valid code started, or `null`. It identifies a repeated `complete`. Redis calls it `usedBy`.
   */
  readonly completedBy: string | null;
  /**
   * Ended by `revokeAll` or `revokeOthers`. A store with session versions derives this: `true` if the challenge has an
   * older version.
   */
  readonly isEnded: boolean;
}

/** Whether a challenge has neither been ended nor expired. */
export function isAnswerable(
  challenge: ChallengeState | undefined,
  nowMs: number,
): challenge is ChallengeState {
  return challenge !== undefined && !challenge.isEnded && nowMs < challenge.expiresAtMs;
}
