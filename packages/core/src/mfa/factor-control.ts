import { type ClientInfo, canonicalClient } from '../client-info/client-info.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { ChallengeStore } from '../storage/challenge-store.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import { assertUserId } from '../users/assert-user-id.ts';

/**
 * Operations on second factors, for the host. All reject with an `AuthError` (`temporarily_unavailable`) if the storage
 * does not answer.
 *
 * `client`: the client that has requested the operation, for the event.
 *
 * @throws {TypeError} if `userId` is not a string, or empty
 */
export interface Factors {
  /** Lifts a lock or a suspension after too many wrong codes. */
  unlock(userId: string, client?: ClientInfo): Promise<void>;
  /**
   * Removes the factor that the user has enrolled, with its recovery codes, and lifts its lock. Call this for a user
   * who has lost the app and the codes, once you know by other means who they are. Returns whether there was a factor.
   * Does not remove a factor of your own table. Can be repeated if it rejects. Works even in processes without
   * `mfa.enrolment`.
   *
   * Security: afterwards the password is enough to log in. Ends no session.
   */
  remove(userId: string, client?: ClientInfo): Promise<boolean>;
}

/** @param store - the factors in the storage, even if `mfa.enrolment` is not set; absent: the storage keeps none */
export function createFactorControl(
  challenges: Pick<ChallengeStore, 'unlock'>,
  store: Pick<MfaStore, 'remove'> | undefined,
  emit: (event: SecurityEvent) => void,
): Factors {
  async function unlock(userId: string, client?: ClientInfo): Promise<void> {
    assertUserId(userId);
    await challenges.unlock(userId);
    emit({ type: 'factor.unlocked', userId, ...canonicalClient(client) });
  }

  return {
    unlock,
    async remove(userId, client) {
      assertUserId(userId);
      const isRemoved = (await store?.remove(userId)) ?? false;
      if (!isRemoved) {
        // An earlier call may have removed the factor and failed to lift its lock.
        await unlock(userId, client);
        return false;
      }
      emit({ type: 'factor.removed', userId, actor: 'host', ...canonicalClient(client) });
      // A suspension would block the next factor too.
      await challenges.unlock(userId);
      return true;
    },
  };
}
