import type { NewSession, SessionRecord } from '../session-store.ts';
import { isAlive, type UserState } from './user-states.ts';

/**
 * Starts a session at generation 1 and ends those above the cap: what `create` of sessions and `complete`
 * of challenges share. A session id that is known already, alive or not, is answered as it stands.
 */
export function startSession(
  user: UserState,
  session: NewSession,
  { maxPerUser, nowMs }: { readonly maxPerUser: number; readonly nowMs: number },
): SessionRecord {
  const known = user.sessions.get(session.sessionId);
  if (known !== undefined) return known.record;
  const record = firstRecord(session, nowMs);
  endLeastRecentlyRotated(user, maxPerUser - 1, nowMs);
  user.sessions.set(session.sessionId, {
    record,
    epoch: user.epoch,
    idleMs: session.idleMs,
    ended: false,
    replays: 0,
  });
  return record;
}

/** Field by field, and arrays copied: the store keeps what it promised, whatever the caller does later. */
function firstRecord(session: NewSession, nowMs: number): SessionRecord {
  return {
    userId: session.userId,
    sessionId: session.sessionId,
    scopes: [...session.scopes],
    accountId: session.accountId,
    amr: [...session.amr],
    authTimeMs: session.authTimeMs,
    clientAddress: session.clientAddress,
    userAgent: session.userAgent,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + session.absoluteMs,
    rotatedAtMs: nowMs,
    generation: 1,
  };
}

/** Makes room before the new session is in, so that a tie within one millisecond cannot end that one. */
function endLeastRecentlyRotated(user: UserState, spared: number, nowMs: number): void {
  const alive = [...user.sessions.values()]
    .filter((session) => isAlive(user, session, nowMs))
    .sort((a, b) => a.record.rotatedAtMs - b.record.rotatedAtMs);
  for (const session of alive.slice(0, Math.max(0, alive.length - spared))) session.ended = true;
}
