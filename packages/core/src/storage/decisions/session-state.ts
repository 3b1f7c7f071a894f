import type { SessionRecord } from '../session-store.ts';

/** What a store keeps of a session. JSON-safe, and never changed in place. For authors of storages. */
export interface SessionState {
  /** The part that callers are given. */
  readonly record: SessionRecord;
  /** The limit that came with the login or the newest rotation. */
  readonly idleMs: number;
  /** How often the newest generation was replayed to its predecessor. */
  readonly replays: number;
  /**
   * Ended by `revoke`, `revokeAll`, reuse or the cap; in a store with session versions, also by being of an older one.
   * Kept for as long as a command may be sent again, since a re-sent `create` must not revive it.
   */
  readonly isEnded: boolean;
}

/**
 * When a session expires, idle or old: from this time on it may be forgotten. Exclusive.
 *
 * @param idleMs - how long it lives without a rotation, ms. A rotation is rejected by the present limit, `isLive` and
 * `list` go by that of the last rotation: the limit may have been lowered since.
 */
export function sessionEndsAtMs(
  { expiresAtMs, rotatedAtMs }: Pick<SessionRecord, 'expiresAtMs' | 'rotatedAtMs'>,
  idleMs: number,
): number {
  return Math.min(expiresAtMs, rotatedAtMs + idleMs);
}

/** Whether a session is neither ended nor expired. `isLive` answers this, and so does `revoke` of a known session. */
export function isSessionAlive(session: SessionState, nowMs: number): boolean {
  return !session.isEnded && nowMs < sessionEndsAtMs(session.record, session.idleMs);
}

/**
 * Live sessions, most recently rotated first, and of the same millisecond the newer one first: what `list` answers.
 *
 * @param sessions - all sessions of one user, in the order of creation.
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
