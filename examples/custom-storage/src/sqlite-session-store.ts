import {
  decideRotation,
  decideSessionCreation,
  isSessionAlive,
  liveSessions,
  type SessionStore,
} from '@latchhook/core/storage';
import type { Items } from './items.ts';
import { olderBy } from './older-by.ts';
import { putChallenge, putSessions } from './put-items.ts';

/** Sessions in SQLite. Core decides what becomes of them: this reads them, and stores what has changed. */
export function sqliteSessionStore(items: Items): SessionStore {
  return {
    async create(login, limits) {
      const calledAtMs = items.nowMs();
      return items.transition((nowMs) => {
        const sessions = items.list('session', login.userId);
        const revokedAllAtMs = items.find('revocation', login.userId, '')?.atMs;
        const aged = olderBy(nowMs - calledAtMs, login);
        const found = { sessions, revokedAllAtMs };
        const { answer, change } = decideSessionCreation(found, aged, limits, nowMs);
        if (change !== null) {
          putSessions(items, change, nowMs);
          items.forgetSome(nowMs);
        }
        return answer;
      });
    },

    rotate: (request) =>
      items.transition((nowMs) => {
        const session = items.find('session', request.userId, request.sessionId);
        const { answer, change } = decideRotation(session, request, nowMs);
        if (change !== null) putSessions(items, [change], nowMs);
        return answer;
      }),

    isLive: ({ userId, sessionId }) =>
      items.look((nowMs) => {
        const session = items.find('session', userId, sessionId);
        return session !== undefined && isSessionAlive(session, nowMs);
      }),

    revoke: ({ userId, sessionId }) =>
      items.transition((nowMs) => {
        const session = items.find('session', userId, sessionId);
        if (session === undefined || session.isEnded) return false;
        putSessions(items, [{ ...session, isEnded: true }], nowMs);
        return isSessionAlive(session, nowMs);
      }),

    revokeAll: (userId) => items.transition((nowMs) => endAllBut(null, items, userId, nowMs)),

    revokeOthers: ({ userId, sessionId }) =>
      items.transition((nowMs) => endAllBut(sessionId, items, userId, nowMs)),

    list: (userId) =>
      items.look((nowMs) =>
        liveSessions(items.list('session', userId), nowMs).map(({ record }) => record),
      ),
  };
}

/** Ends sessions and challenges, and supersedes pending logins. One session is spared, if it lives. */
function endAllBut(sparedId: string | null, items: Items, userId: string, nowMs: number): void {
  // Stored for unknown users too. Never earlier than before, though the clock may have been set back.
  const atMs = Math.max(items.find('revocation', userId, '')?.atMs ?? nowMs, nowMs);
  items.put('revocation', userId, '', { atMs }, null);

  const ended = items.list('session', userId).filter((session) => {
    const isSpared = session.record.sessionId === sparedId && isSessionAlive(session, nowMs);
    return !isSpared && !session.isEnded;
  });
  putSessions(
    items,
    ended.map((session) => ({ ...session, isEnded: true })),
    nowMs,
  );
  for (const challenge of items.list('challenge', userId)) {
    putChallenge(items, { ...challenge, isEnded: true });
  }
}
