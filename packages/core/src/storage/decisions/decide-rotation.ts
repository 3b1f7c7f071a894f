import type { RotateOutcome, RotateRequest } from '../session-store.ts';
import { type Decision, unchanged } from './decision.ts';
import { type SessionState, sessionEndsAtMs } from './session-state.ts';

/**
 * Decides `rotate` of sessions: the outcome for a presented refresh token. For authors of storages.
 *
 * Atomicity: call it within the transaction; see {@link Decision}. For `reused`, `change` is the ended session: if it
 * were not stored, a thief could go on using the session.
 *
 * @param session - the session that the request names; `undefined`: the store has none
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
 * declare function transition<T>(decide: (nowMs: number) => T): Promise<T>; // yours: locks, decides, commits
 * declare function find(request: RotateRequest): SessionState | undefined;
 * declare function put(session: SessionState): void;
 *
 * const rotate = (request: RotateRequest): Promise<RotateOutcome> =>
 *   transition((nowMs) => {
 *     const { outcome, change } = decideRotation(find(request), request, nowMs);
 *     if (change !== null) put(change);
 *     return outcome;
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

  // The token is authentic, so it was issued: if it is ahead of the store, a failover lost the last rotations. The
  // store then follows the token, up to `rollForwardLimit`.
  const lostRotations = request.generation - record.generation;
  if (lostRotations > request.rollForwardLimit) return unchanged({ outcome: 'unknown' });
  if (lostRotations >= 0) {
    const rotatedRecord = { ...record, generation: request.generation + 1, rotatedAtMs: nowMs };
    const outcome = lostRotations === 0 ? 'rotated' : 'rolled_forward';
    return {
      outcome: { outcome, session: rotatedRecord, nowMs },
      change: { ...session, record: rotatedRecord, idleMs: request.idleMs, replays: 0 },
    };
  }
  // Only the immediate predecessor may be replayed: if older tokens could, a thief who refreshes in lockstep with the
  // client would never be detected.
  const isPredecessor = request.generation === record.generation - 1;
  const isWithinGrace = nowMs - record.rotatedAtMs <= request.graceMs;
  if (isPredecessor && isWithinGrace) {
    if (replays >= request.replayLimit) return unchanged({ outcome: 'busy' });
    return {
      outcome: { outcome: 'replayed', session: record, nowMs },
      change: { ...session, replays: replays + 1 },
    };
  }
  return { outcome: { outcome: 'reused' }, change: { ...session, isEnded: true } };
}
