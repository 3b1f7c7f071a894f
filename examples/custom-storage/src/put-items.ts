import {
  type ChallengeState,
  LONGEST_PENDING_MS,
  type SessionState,
  sessionEndsAtMs,
} from '@latchhook/core/storage';
import type { Items } from './items.ts';

/** For how long a session that was ended is remembered: a refresh is answered `revoked` rather than `unknown`. */
const TOMBSTONE_MS = 86_400_000;

/** Stores changed sessions, each in place of its older state. */
export function putSessions(items: Items, sessions: readonly SessionState[], nowMs: number): void {
  for (const session of sessions) {
    const { userId, sessionId } = session.record;
    // A `create` that is sent again must find what has ended, and revive nothing.
    const endsAtMs = sessionEndsAtMs(session.record, session.idleMs) + LONGEST_PENDING_MS;
    const forgetAtMs = session.isEnded ? Math.min(endsAtMs, nowMs + TOMBSTONE_MS) : endsAtMs;
    items.put('session', userId, sessionId, session, forgetAtMs);
  }
}

/** Stores a new or changed challenge. */
export function putChallenge(items: Items, challenge: ChallengeState): void {
  const { userId, challengeId, expiresAtMs } = challenge;
  items.put('challenge', userId, challengeId, challenge, expiresAtMs + LONGEST_PENDING_MS);
}
