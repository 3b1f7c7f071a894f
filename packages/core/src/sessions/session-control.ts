import { setTimeout as elapsed } from 'node:timers/promises';
import type { ActingParty } from '../ports/events/acting-party.ts';
import { NOWHERE, type Origin } from '../ports/origin.ts';
import type { SecurityEvent } from '../ports/telemetry.ts';
import type { SessionRecord, SessionStore } from '../storage/session-store.ts';

/**
 * Sessions, for the host: after a password reset, or from an admin page. All reject with an `AuthError`
 * (`temporarily_unavailable`) where the storage does not answer: nothing is then known to have ended.
 *
 * `origin`: who asked for it, for the event.
 */
export interface Sessions {
  /** The live ones, most recently refreshed first. */
  list(userId: string): Promise<readonly SessionRecord[]>;
  /** Ends one session; answers whether this call did. */
  revoke(userId: string, sessionId: string, origin?: Origin): Promise<boolean>;
  /**
   * Ends every session and every pending challenge of the user. Once this resolves, no login that began
   * before ends in either: one whose password is being checked meanwhile is answered as if it were wrong.
   * A login that begins after this has resolved is not touched.
   */
  revokeAll(userId: string, origin?: Origin): Promise<void>;
  /**
   * The same, but that one session lives on: for a password that was changed in it. A session that does not
   * live is not brought back: then all of them end.
   */
  revokeOthers(userId: string, sessionId: string, origin?: Origin): Promise<void>;
}

/**
 * Stores tell logins from before a `revokeAll` by whole milliseconds, and refuse where they cannot. A login
 * that begins once it was acknowledged shall never be that close, however quick the client.
 */
const SETTLING_MS = 5;

/** The one way in which a session is ended on purpose: whoever asks, the event is told, with who it was. */
export function createSessionControl(
  store: Pick<SessionStore, 'list' | 'revoke' | 'revokeAll' | 'revokeOthers'>,
  emit: (event: SecurityEvent) => void,
  actor: ActingParty,
): Sessions {
  return {
    list: (userId) => store.list(userId),
    async revoke(userId, sessionId, origin = NOWHERE) {
      const ended = await store.revoke({ userId, sessionId });
      if (ended) emit({ type: 'session.revoked', userId, sessionId, actor, ...origin });
      return ended;
    },
    async revokeAll(userId, origin = NOWHERE) {
      await store.revokeAll(userId);
      emit({ type: 'sessions.revoked_all', userId, actor, ...origin });
      await elapsed(SETTLING_MS);
    },
    async revokeOthers(userId, sessionId, origin = NOWHERE) {
      await store.revokeOthers({ userId, sessionId });
      emit({ type: 'sessions.revoked_others', userId, sessionId, actor, ...origin });
      await elapsed(SETTLING_MS);
    },
  };
}
