import type { NewSession, SessionRecord } from '../session-store.ts';
import { liveSessions, type SessionState } from './session-state.ts';

/** A session at its beginning, and what has to be stored for it. */
export interface BegunSession {
  readonly record: SessionRecord;
  /** Those that the cap has ended, then the new one; `null` where it is known, alive or not. */
  readonly change: readonly SessionState[] | null;
}

/** What `create` of sessions and `complete` of challenges have in common. */
export function beginSession(
  sessions: readonly SessionState[],
  session: NewSession,
  maxPerUser: number,
  nowMs: number,
): BegunSession {
  const known = sessions.find(({ record }) => record.sessionId === session.sessionId);
  if (known !== undefined) return { record: known.record, change: null };
  // Reckoned without the new one, so that a tie within one millisecond cannot end that one.
  const excess = liveSessions(sessions, nowMs).slice(Math.max(0, maxPerUser - 1));
  const ended = excess.map((old) => ({ ...old, isEnded: true }));
  const record = firstRecord(session, nowMs);
  const begun = { record, idleMs: session.idleMs, replays: 0, isEnded: false };
  return { record, change: [...ended, begun] };
}

/** Field by field, and arrays copied: the store keeps what it promised, whatever the caller hands over or does later. */
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
