import type { SessionGrant, SessionRecord } from '../session-store.ts';

/** The stored state of a session. JSON-safe, and never changed in place. For authors of storages. */
export interface SessionState {
  /** The part that is returned to callers. */
  readonly record: SessionRecord;
  /** The idle timeout of the login or the last rotation, ms. */
  readonly idleMs: number;
  /** How often the preceding token was presented again, and got the current generation. */
  readonly replays: number;
  /**
   * Ended by `revoke`, `revokeAll`, reuse or the cap; in a store with session versions, also by an older version. An
   * ended session is kept for as long as a command may be sent again, because a repeated `create` must not revive it.
   */
  readonly isEnded: boolean;
}

/**
 * Copies the fields of a session that never change, each by name, so that no other field of a caller's object is
 * stored, and no other stored field is returned. For authors of storages: the result is JSON-safe, to be stored as one
 * value.
 */
export function sessionGrantOf(session: SessionGrant): SessionGrant {
  return {
    userId: session.userId,
    sessionId: session.sessionId,
    scopes: session.scopes,
    accountId: session.accountId,
    amr: session.amr,
    authTimeMs: session.authTimeMs,
    clientAddress: session.clientAddress,
    userAgent: session.userAgent,
  };
}

/**
 * When a session expires, by its idle or absolute timeout (exclusive). It may be deleted from then on.
 *
 * @param idleMs - how long the session lives without a rotation, ms. `rotate` passes the limit of its request; `isLive`
 *   and `list` pass the stored limit of the last rotation
 */
export function sessionEndsAtMs(
  { expiresAtMs, rotatedAtMs }: Pick<SessionRecord, 'expiresAtMs' | 'rotatedAtMs'>,
  idleMs: number,
): number {
  return Math.min(expiresAtMs, rotatedAtMs + idleMs);
}

/** Whether a session is neither ended nor expired: the result of `isLive`, and of `revoke` for a stored session. */
export function isSessionAlive(session: SessionState, nowMs: number): boolean {
  return !session.isEnded && nowMs < sessionEndsAtMs(session.record, session.idleMs);
}

/**
 * Live sessions in the order of `list`: most recently rotated first, and within a millisecond the newer session first.
 *
 * @param sessions - all sessions of one user, in the order of creation
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
