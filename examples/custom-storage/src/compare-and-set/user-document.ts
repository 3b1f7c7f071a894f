import {
  type ChallengeState,
  type FactorLock,
  isSessionAlive,
  LONGEST_PENDING_MS,
  type SessionState,
  sessionEndsAtMs,
} from '@latchhook/core/storage';

/** All of one user, under one version. JSON-safe, and never changed in place. */
export interface UserDocument {
  /** When all sessions were last revoked; `undefined` for never. Kept for good, as the factor lock is. */
  readonly revokedAllAtMs: number | undefined;
  readonly factorLock: FactorLock | undefined;
  /** In the order of creation. */
  readonly sessions: readonly SessionState[];
  readonly challenges: readonly ChallengeState[];
}

/** The document of an unknown user. */
export const NEW_USER: UserDocument = {
  revokedAllAtMs: undefined,
  factorLock: undefined,
  sessions: [],
  challenges: [],
};

/** Ended sessions are kept, or a `create` sent again would revive them; but a document has limited room. */
const ENDED_SESSIONS_KEPT = 100;

/** Replaces each changed session, or adds it at the end. */
export function withSessions(user: UserDocument, changed: readonly SessionState[]): UserDocument {
  const byId = new Map(user.sessions.map((session) => [session.record.sessionId, session]));
  for (const session of changed) byId.set(session.record.sessionId, session);
  return { ...user, sessions: [...byId.values()] };
}

export function withChallenge(user: UserDocument, changed: ChallengeState): UserDocument {
  const byId = new Map(user.challenges.map((challenge) => [challenge.challengeId, challenge]));
  return { ...user, challenges: [...byId.set(changed.challengeId, changed).values()] };
}

/** Ends sessions and challenges, and supersedes pending logins. One session is spared, if it lives. */
export function endAllBut(
  sparedId: string | null,
  user: UserDocument,
  nowMs: number,
): UserDocument {
  const isSpared = (session: SessionState): boolean =>
    session.record.sessionId === sparedId && isSessionAlive(session, nowMs);
  return {
    ...user,
    // Never earlier than before, though the clock may have been set back.
    revokedAllAtMs: Math.max(user.revokedAllAtMs ?? nowMs, nowMs),
    sessions: user.sessions.map((session) =>
      isSpared(session) ? session : { ...session, isEnded: true },
    ),
    challenges: user.challenges.map((challenge) => ({ ...challenge, isEnded: true })),
  };
}

/**
 * For transitions that add something: otherwise a document would only ever grow. What has ended stays for as long as a
 * `create` may be sent again.
 */
export function withoutWhatIsOver(user: UserDocument, nowMs: number): UserDocument {
  const sessions = user.sessions.filter(
    (session) => nowMs < sessionEndsAtMs(session.record, session.idleMs) + LONGEST_PENDING_MS,
  );
  let excess = sessions.filter(({ isEnded }) => isEnded).length - ENDED_SESSIONS_KEPT;
  return {
    ...user,
    sessions: sessions.filter(({ isEnded }) => {
      if (isEnded) excess -= 1;
      return !isEnded || excess < 0;
    }),
    challenges: user.challenges.filter(
      ({ expiresAtMs }) => nowMs < expiresAtMs + LONGEST_PENDING_MS,
    ),
  };
}
