import type { RotateOutcome, RotateRequest } from '../session-store.ts';
import { type Decision, unchanged } from './decision.ts';
import { type SessionState, sessionEndsAtMs } from './session-state.ts';

/**
 * Decides `rotate` of sessions: the outcome for a refresh token that is presented. For authors of storages.
 *
 * Atomicity: call it within the transaction; see {@link Decision}. For `reused`, `change` is the ended session: if it
 * were not stored, a thief could go on using the session.
 *
 * @param session - the session that the request names; `undefined` where the store has none.
 *
 * @example
 * ```ts
 * import {
 *   decideRotation,
 *   type RotateOutcome,
 *   type RotateRequest,
 *   type SessionState,
 * } from '@latchhook/core/storage';
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
  if (nowMs >= sessionEndsAtMs(record, request.idleMs)) return unchanged({ outcome: 'expired' });

  const ahead = request.generation - record.generation;
  if (ahead > request.rollForwardLimit) return unchanged({ outcome: 'unknown' });
  if (ahead >= 0) {
    // The successor follows the presented token, which may be ahead of the store.
    const next = { ...record, generation: request.generation + 1, rotatedAtMs: nowMs };
    const outcome = ahead === 0 ? 'rotated' : 'rolled_forward';
    return {
      answer: { outcome, session: next, nowMs },
      change: { ...session, record: next, idleMs: request.idleMs, replays: 0 },
    };
  }
  // Only the immediate predecessor is accepted: if older ones were, a thief that refreshes in lock-step would never be
  // detected.
  if (ahead === -1 && nowMs - record.rotatedAtMs <= request.graceMs) {
    if (replays >= request.replayLimit) return unchanged({ outcome: 'busy' });
    return {
      answer: { outcome: 'replayed', session: record, nowMs },
      change: { ...session, replays: replays + 1 },
    };
  }
  return { answer: { outcome: 'reused' }, change: { ...session, isEnded: true } };
}
