import type { SecurityEvent } from '../ports/telemetry.ts';
import type { ChallengeStore } from '../storage/challenge-store.ts';

/** The second factor, for the host. */
export interface Factors {
  /**
   * Lifts a lock or a suspension after too many wrong codes. Rejects with an `AuthError`
   * (`temporarily_unavailable`) where the storage does not answer.
   */
  unlock(userId: string): Promise<void>;
}

export function createFactorControl(
  store: Pick<ChallengeStore, 'unlock'>,
  emit: (event: SecurityEvent) => void,
): Factors {
  return {
    async unlock(userId) {
      await store.unlock(userId);
      emit({ type: 'factor.unlocked', userId });
    },
  };
}
