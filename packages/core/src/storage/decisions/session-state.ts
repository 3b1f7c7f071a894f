import type { SessionRecord } from '../session-store.ts';

/** What a store keeps of a session. JSON-safe, and never changed in place. For who writes a storage. */
export interface SessionState {
  /** What is answered of it. */
  readonly record: SessionRecord;
  /** As the newest login or rotation had it. */
  readonly idleMs: number;
  /** How often the predecessor of the newest generation was answered with it. */
  readonly replays: number;
  /**
   * Ended by `revoke`, `revokeAll`, reuse or the cap; where a store has epochs, by being of an older one too. Kept
   * nevertheless, for as long as a command may come again: a re-sent `create` must not revive it.
   */
  readonly isEnded: boolean;
}

/** When a session is over by time, be it idle or old: from then on it may be forgotten. Exclusive. */
export function sessionEndsAtMs(session: SessionState): number {
  const { record, idleMs } = session;
  return Math.min(record.expiresAtMs, record.rotatedAtMs + idleMs);
}

/** Whether a session is neither ended nor past its time. What `isLive` answers, and `revoke` of one that was there. */
export function isSessionAlive(session: SessionState, nowMs: number): boolean {
  return !session.isEnded && nowMs < sessionEndsAtMs(session);
}

/**
 * Those that live, most recently rotated first, and of one millisecond the newer one: what `list` answers.
 *
 * @param sessions - all of one user, in the order of creation.
 */
export function liveSessions(
  sessions: readonly SessionState[],
  nowMs: number,
): readonly SessionState[] {
  return sessions
    .filter((session) => isSessionAlive(session, nowMs))
    .reverse()
    .sort((a, b) => b.record.rotatedAtMs - a.record.rotatedAtMs);
}
