import type { RotateOutcome, RotateRequest } from '../session-store.ts';
import { type Decision, unchanged } from './decision.ts';
import type { SessionState } from './session-state.ts';

/**
 * `rotate` of sessions: what becomes of a session at which a refresh token is presented. For who writes a storage.
 *
 * Atomicity: to be called within the transaction; see {@link Decision}. Where it is `reused`, `change` is the session
 * ended: answered and not stored, a thief would go on.
 *
 * @param session - the one that the request names; `undefined` where none is kept.
 *
 * @example
 * ```ts
 * import { decideRotation, type RotateOutcome, type RotateRequest, type SessionState } from '@latchhook/core';
 *
 * declare function transition<T>(decide: (nowMs: number) => T): Promise<T>; // your store's: locks, then commits
 * declare function find(request: RotateRequest): SessionState | undefined;
 * declare function put(session: SessionState): void;
 *
 * const rotate = (request: RotateRequest): Promise<RotateOutcome> =>
 *   transition((nowMs) => {
 *     const { answer, change } = decideRotation(find(request), request, nowMs);
 *     if (change !== null) put(change);
 *     return answer;
 *   });
 * ```
 */
export function decideRotation(
  session: SessionState | undefined,
  request: RotateRequest,
  nowMs: number,
): Decision<RotateOutcome, SessionState> {
  if (session === undefined) return unchanged({ outcome: 'unknown' });
  if (session.isEnded) return unchanged({ outcome: 'revoked' });

  const { record, replays } = session;
  const idleForMs = nowMs - record.rotatedAtMs;
  if (nowMs >= record.expiresAtMs || idleForMs >= request.idleMs) {
    return unchanged({ outcome: 'expired' });
  }

  const ahead = request.generation - record.generation;
  if (ahead > request.rollForwardLimit) return unchanged({ outcome: 'unknown' });
  if (ahead >= 0) {
    // The successor of the token that was presented, which may be ahead of what the store knows.
    const next = { ...record, generation: request.generation + 1, rotatedAtMs: nowMs };
    const outcome = ahead === 0 ? 'rotated' : 'rolled_forward';
    return {
      answer: { outcome, session: next, nowMs },
      change: { ...session, record: next, idleMs: request.idleMs, replays: 0 },
    };
  }
  // The immediate predecessor only: with older ones let in, a thief in lock-step would never be noticed.
  if (ahead === -1 && idleForMs <= request.graceMs) {
    if (replays >= request.replayLimit) return unchanged({ outcome: 'busy' });
    return {
      answer: { outcome: 'replayed', session: record, nowMs },
      change: { ...session, replays: replays + 1 },
    };
  }
  return { answer: { outcome: 'reused' }, change: { ...session, isEnded: true } };
}
