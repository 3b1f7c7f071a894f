import { canonicalClient } from '../client-info/canonical-client.ts';
import type { ClientInfo } from '../client-info/client-info.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { ChallengeStore } from '../storage/challenge-store.ts';
import type { MfaStore } from '../storage/mfa-store.ts';

/**
 * Operations on second factors, for the host. All reject with an `AuthError` (`temporarily_unavailable`) if the storage
 * does not answer.
 *
 * `client`: who requested it, for the event.
 */
export interface Factors {
  /** Lifts a lock or a suspension after too many wrong codes. */
  unlock(userId: string, client?: ClientInfo): Promise<void>;
  /**
   * Removes the factor that the user has enrolled, with its recovery codes, and lifts its lock: for somebody who has
   * lost both, once you know by other means who they are. Returns whether there was one. A factor in your own table is
   * yours to remove. Can be repeated if it rejects. Works wherever the storage keeps factors, in processes without
   * `mfa.enrolment` too.
   *
   * Security: from then on the password alone is enough to log in. Ends no session.
   */
  remove(userId: string, client?: ClientInfo): Promise<boolean>;
}

/** @param kept - The factors of the storage, whether users enrol here or not. Absent: it keeps none. */
export function createFactorControl(
  challenges: Pick<ChallengeStore, 'unlock'>,
  kept: Pick<MfaStore, 'remove'> | undefined,
  emit: (event: SecurityEvent) => void,
): Factors {
  return {
    async unlock(userId, client) {
      await challenges.unlock(userId);
      emit({ type: 'factor.unlocked', userId, ...canonicalClient(client) });
    },
    async remove(userId, client) {
      const removed = (await kept?.remove(userId)) ?? false;
      if (removed)
        emit({ type: 'factor.removed', userId, actor: 'host', ...canonicalClient(client) });
      // A suspension would block the next factor too, and only this lifts it. Even if there was no factor: an earlier
      // call may have removed it and failed here.
      await challenges.unlock(userId);
      if (!removed) emit({ type: 'factor.unlocked', userId, ...canonicalClient(client) });
      return removed;
    },
  };
}
