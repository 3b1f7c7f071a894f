import { type ChallengeState, type SessionState, sessionEndsAtMs } from '@latchhook/core/storage';
import type { Items } from './items.ts';

/** For how long an ended session is remembered: a `create` that is sent again must not revive it. */
const TOMBSTONE_MS = 86_400_000;

/** Stores changed sessions, each in place of its older state. */
export function putSessions(items: Items, sessions: readonly SessionState[], nowMs: number): void {
  for (const session of sessions) {
    const { userId, sessionId } = session.record;
    const endsAtMs = sessionEndsAtMs(session.record, session.idleMs);
    const forgetAtMs = session.isEnded ? Math.min(endsAtMs, nowMs + TOMBSTONE_MS) : endsAtMs;
    items.put('session', userId, sessionId, session, forgetAtMs);
  }
}

/** Stores a new or changed challenge. */
export function putChallenge(items: Items, challenge: ChallengeState): void {
  const { userId, challengeId, expiresAtMs } = challenge;
  items.put('challenge', userId, challengeId, challenge, expiresAtMs);
}
