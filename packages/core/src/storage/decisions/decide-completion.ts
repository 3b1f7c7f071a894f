import type { CompleteOutcome, CompleteRequest } from '../challenge-store.ts';
import { beginSession } from './begin-session.ts';
import { type ChallengeState, isAnswerable } from './challenge-state.ts';
import { type Decision, unchanged } from './decision.ts';
import { type FactorState, NEW_FACTOR, unlockFactor } from './factor-state.ts';
import { isSessionAlive, type SessionState } from './session-state.ts';

/** What a right code brings about: all of it, or nothing. */
export interface CompletionChange {
  /** The challenge, completed by the session. */
  readonly challenge: ChallengeState;
  /** The factor, unlocked and with the step taken. */
  readonly factor: FactorState;
  /** Sessions that the cap ends, then the new one; empty if the id of that is known already. */
  readonly sessions: readonly SessionState[];
}

/**
 * Decides `complete` of challenges: whether the challenge may still be answered and the time step be taken, whether
 * this was done before, and which session it starts. For authors of storages.
 *
 * Atomicity: call it within the transaction that stores the change, all of it; see {@link Decision}.
 *
 * @param found - the challenge and the user's factor, `undefined` where the store has none, and the user's sessions,
 *   ended ones included, in the order of creation.
 */
export function decideCompletion(
  found: {
    readonly challenge: ChallengeState | undefined;
    readonly factor: FactorState | undefined;
    readonly sessions: readonly SessionState[];
  },
  request: CompleteRequest,
  nowMs: number,
): Decision<CompleteOutcome, CompletionChange> {
  const { challenge, factor = NEW_FACTOR, sessions } = found;
  const { totpStep, session, maxSessionsPerUser } = request;
  if (!isAnswerable(challenge, nowMs)) return unchanged({ outcome: 'gone' });
  if (challenge.completedBy !== null) return unchanged(recall(challenge, sessions, request, nowMs));

  if (totpStep !== null && totpStep <= factor.lastTotpStep) {
    return unchanged({ outcome: 'step_used' });
  }
  const begun = beginSession(sessions, session, maxSessionsPerUser, nowMs);
  const lastTotpStep = totpStep ?? factor.lastTotpStep;
  return {
    answer: { outcome: 'completed', session: begun.record },
    change: {
      challenge: { ...challenge, completedBy: session.sessionId },
      factor: unlockFactor({ ...factor, lastTotpStep }),
      sessions: begun.change ?? [],
    },
  };
}

/** Answers a repeated `complete`: with the session, if it is the same one and still lives. */
function recall(
  { completedBy }: ChallengeState,
  sessions: readonly SessionState[],
  { session: { sessionId } }: CompleteRequest,
  nowMs: number,
): CompleteOutcome {
  const known = sessions.find(({ record }) => record.sessionId === sessionId);
  const isResent = completedBy === sessionId;
  if (!isResent || known === undefined || !isSessionAlive(known, nowMs)) return { outcome: 'gone' };
  return { outcome: 'completed', session: known.record };
}
