import type { CompleteOutcome, CompleteRequest } from '../challenge-store.ts';
import { beginSession } from './begin-session.ts';
import { type ChallengeState, isAnswerable } from './challenge-state.ts';
import { type Decision, unchanged } from './decision.ts';
import { type FactorLock, NEW_FACTOR_LOCK, unlockFactor } from './factor-lock.ts';
import { isSessionAlive, type SessionState } from './session-state.ts';

/** The states that a valid code changes. Store all of them, or none. */
export interface CompletionChange {
  /** The challenge, completed by the session. */
  readonly challenge: ChallengeState;
  /** The factor lock without failures, and with the TOTP step used. */
  readonly factorLock: FactorLock;
  /** The sessions that the cap ends, then the new one; empty if its id already exists. */
  readonly sessions: readonly SessionState[];
}

/**
 * Decides `complete` of challenges: whether the challenge may still be completed, whether the TOTP step may still be
 * used, whether the call is a repeat, and which session it starts. For authors of storages.
 *
 * Atomicity: call it within the transaction that stores the whole change; see {@link Decision}.
 *
 * @param stored - the challenge and the user's factor lock (`undefined`: the store has none), and the user's sessions,
 *   ended ones included, in the order of creation
 */
export function decideCompletion(
  stored: {
    readonly challenge: ChallengeState | undefined;
    readonly factorLock: FactorLock | undefined;
    readonly sessions: readonly SessionState[];
  },
  request: CompleteRequest,
  nowMs: number,
): Decision<CompleteOutcome, CompletionChange> {
  const { challenge, factorLock = NEW_FACTOR_LOCK, sessions } = stored;
  const { totpStep, session, maxSessionsPerUser } = request;
  if (!isAnswerable(challenge, nowMs)) return unchanged({ outcome: 'gone' });
  if (challenge.completedBy !== null)
    return unchanged(repeatedOutcome(challenge, sessions, request, nowMs));

  if (totpStep !== null && totpStep <= factorLock.lastTotpStep) {
    return unchanged({ outcome: 'step_used' });
  }
  const newSession = beginSession(sessions, session, maxSessionsPerUser, nowMs);
  const lastTotpStep = totpStep ?? factorLock.lastTotpStep;
  return {
    outcome: { outcome: 'completed', session: newSession.record },
    change: {
      challenge: { ...challenge, completedBy: session.sessionId },
      factorLock: unlockFactor({ ...factorLock, lastTotpStep }),
      sessions: newSession.change ?? [],
    },
  };
}

/** The outcome of a repeated `complete`: `completed` if the session is the same one and still live. */
function repeatedOutcome(
  { completedBy }: ChallengeState,
  sessions: readonly SessionState[],
  { session: { sessionId } }: CompleteRequest,
  nowMs: number,
): CompleteOutcome {
  const existing = sessions.find(({ record }) => record.sessionId === sessionId);
  const isRepeat = completedBy === sessionId;
  if (!isRepeat || existing === undefined || !isSessionAlive(existing, nowMs))
    return { outcome: 'gone' };
  return { outcome: 'completed', session: existing.record };
}
