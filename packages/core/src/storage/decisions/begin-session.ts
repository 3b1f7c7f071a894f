import type { NewSession, SessionRecord } from '../session-store.ts';
import { liveSessions, type SessionState, sessionGrantOf } from './session-state.ts';

/** A new session, and the states to store. */
export interface BegunSession {
  readonly record: SessionRecord;
  /** The sessions that the cap ends, then the new one; `null` if its id already exists, live or ended. */
  readonly change: readonly SessionState[] | null;
}

/** Decides how a session begins, for `create` of sessions and `complete` of challenges. */
export function beginSession(
  sessions: readonly SessionState[],
  session: NewSession,
  maxPerUser: number,
  nowMs: number,
): BegunSession {
  const existing = sessions.find(({ record }) => record.sessionId === session.sessionId);
  if (existing !== undefined) return { record: existing.record, change: null };
  // The new session is not ranked with the others, so that the cap cannot end it in a tie within one millisecond.
  const excessSessions = liveSessions(sessions, nowMs).slice(Math.max(0, maxPerUser - 1));
  const endedSessions = excessSessions.map((excess) => ({ ...excess, isEnded: true }));
  const record = firstRecord(session, nowMs);
  const newSession = { record, idleMs: session.idleMs, replays: 0, isEnded: false };
  return { record, change: [...endedSessions, newSession] };
}

function firstRecord(session: NewSession, nowMs: number): SessionRecord {
  const grant = sessionGrantOf(session);
  return {
    createdAtMs: nowMs,
    expiresAtMs: nowMs + session.absoluteMs,
    rotatedAtMs: nowMs,
    generation: 1,
    ...grant,
    // Copied because the caller may change its arrays later.
    scopes: [...grant.scopes],
    amr: [...grant.amr],
  };
}
