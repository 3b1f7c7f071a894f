import { type ChallengeState, type SessionState, sessionEndsAtMs } from '@latchhook/core';
import type { Items } from './items.ts';

/** What was ended is remembered for so long: a `create` that is sent again must not revive it. */
const TOMBSTONE_MS = 86_400_000;

/** Those that have changed, each in the place of what was kept of it. */
export function putSessions(items: Items, sessions: readonly SessionState[], nowMs: number): void {
  for (const session of sessions) {
    const { userId, sessionId } = session.record;
    const endsAtMs = sessionEndsAtMs(session);
    const forgetAtMs = session.isEnded ? Math.min(endsAtMs, nowMs + TOMBSTONE_MS) : endsAtMs;
    items.put('session', userId, sessionId, session, forgetAtMs);
  }
}

/** A challenge, be it new or changed. */
export function putChallenge(items: Items, challenge: ChallengeState): void {
  const { userId, challengeId, expiresAtMs } = challenge;
  items.put('challenge', userId, challengeId, challenge, expiresAtMs);
}
