import type { NewSession, SessionRecord } from '../session-store.ts';
import { liveSessions, type SessionState } from './session-state.ts';

/** A session that begins, and the rows to store. */
export interface BegunSession {
  readonly record: SessionRecord;
  /** The sessions that the cap ends, then the new one; `null` if its id is already known, live or ended. */
  readonly change: readonly SessionState[] | null;
}

/** Decides how a session begins, for `create` of sessions and `complete` of challenges. */
export function beginSession(
  sessions: readonly SessionState[],
  session: NewSession,
  maxPerUser: number,
  nowMs: number,
): BegunSession {
  const known = sessions.find(({ record }) => record.sessionId === session.sessionId);
  if (known !== undefined) return { record: known.record, change: null };
  // Decided without the new session, so that a tie within one millisecond cannot end it.
  const excess = liveSessions(sessions, nowMs).slice(Math.max(0, maxPerUser - 1));
  const ended = excess.map((old) => ({ ...old, isEnded: true }));
  const record = firstRecord(session, nowMs);
  const begun = { record, idleMs: session.idleMs, replays: 0, isEnded: false };
  return { record, change: [...ended, begun] };
}

/** Copies field by field, arrays too: nothing extra is stored, and the caller cannot change it later. */
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
