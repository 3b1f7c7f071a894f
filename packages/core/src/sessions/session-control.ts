import { setTimeout as elapsed } from 'node:timers/promises';
import type { AccountId } from '../account-id.ts';
import { type ClientInfo, canonicalClient } from '../client-info/client-info.ts';
import type { Actor } from '../ports/events/actor.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { SessionRecord, SessionStore } from '../storage/session-store.ts';
import { assertSessionId, assertUserId } from '../users/assert-user-id.ts';

/**
 * Operations on sessions, for the host: after a password reset, or from an admin page. All methods reject with an
 * `AuthError` (`temporarily_unavailable`) if the storage does not answer: then it is unknown whether a session ended.
 *
 * `client`: who requested the operation, for the event.
 *
 * @throws {TypeError} if `userId` is not a string, or empty; `revoke` also for such a `sessionId`
 */
export interface Sessions<Id extends AccountId = number> {
  /** The user's live sessions, most recently refreshed first. */
  list(userId: string): Promise<readonly SessionRecord<Id>[]>;
  /** Ends one session; returns whether this call has ended it. */
  revoke(userId: string, sessionId: string, client?: ClientInfo): Promise<boolean>;
  /**
   * Ends every session and every pending challenge of the user. Once this resolves, no login that began before leads to
   * a session or a challenge: a login whose password is still being checked is answered like a wrong password. A login
   * that begins after this has resolved is not affected, with one exception: if five responses of the storage in a row
   * are read more than 20 ms late, by a busy process or over a slow network, a login that begins right afterwards is
   * rejected in doubt, like a wrong password, or as `revoked_meanwhile`. The user can then log in again.
   */
  revokeAll(userId: string, client?: ClientInfo): Promise<void>;
  /**
   * Like `revokeAll`, except that one session stays live: for a password change within that session. If it is not live,
   * it is not revived, and all sessions end.
   */
  revokeOthers(userId: string, sessionId: string, client?: ClientInfo): Promise<void>;
}

/**
 * How long `revokeAll` waits before it resolves. A store rejects a login that may have begun before a `revokeAll`, and
 * knows when the login began only to within some milliseconds and the delay with which this process reads its
 * responses. With this pause, a login that begins after `revokeAll` has resolved is rejected only if five responses in
 * a row are read later than the pause lasts. 5 ms were too short for a busy process.
 */
const SETTLING_MS = 25;

/**
 * The only code that ends sessions on purpose, so that every end has an event that says who requested it.
 *
 * @param pause - resolves after so many ms
 */
export function createSessionControl(
  store: Pick<SessionStore, 'list' | 'revoke' | 'revokeAll' | 'revokeOthers'>,
  emit: (event: SecurityEvent) => void,
  actor: Actor,
  pause: (ms: number) => Promise<void> = elapsed,
): Sessions<AccountId> {
  return {
    // Copied, because the host may change the lists, and a store in memory returns its own.
    async list(userId) {
      assertUserId(userId);
      return (await store.list(userId)).map((record) => ({
        ...record,
        scopes: [...record.scopes],
        amr: [...record.amr],
      }));
    },
    async revoke(userId, sessionId, client) {
      assertUserId(userId);
      assertSessionId(sessionId);
      const ended = await store.revoke({ userId, sessionId });
      if (ended)
        emit({ type: 'session.revoked', userId, sessionId, actor, ...canonicalClient(client) });
      return ended;
    },
    async revokeAll(userId, client) {
      assertUserId(userId);
      await store.revokeAll(userId);
      emit({ type: 'sessions.revoked_all', userId, actor, ...canonicalClient(client) });
      await pause(SETTLING_MS);
    },
    async revokeOthers(userId, sessionId, client) {
      assertUserId(userId);
      await store.revokeOthers({ userId, sessionId });
      emit({
        type: 'sessions.revoked_others',
        userId,
        sessionId,
        actor,
        ...canonicalClient(client),
      });
      await pause(SETTLING_MS);
    },
  };
}
