import type { CodeAttemptLimits, ReserveOutcome } from '../challenge-store.ts';
import { type ChallengeState, isAnswerable } from './challenge-state.ts';
import { type Decision, unchanged } from './decision.ts';
import { type FactorLock, NEW_FACTOR_LOCK } from './factor-lock.ts';

/** The states that a reserved attempt changes. */
export interface AttemptChange {
  /** The challenge with one more attempt. */
  readonly challenge: ChallengeState;
  /** The factor lock with one more failure; locked if the failures reach a limit. */
  readonly factorLock: FactorLock;
}

/**
 * Decides `reserveAttempt` of challenges: whether a code may be verified, and whether the factor locks. For authors of
 * storages.
 *
 * Atomicity: call it within the transaction that stores the whole change; see {@link Decision}.
 *
 * @param stored - the challenge and the user's factor lock; `undefined`: the store has none
 */
export function decideAttempt(
  stored: {
    readonly challenge: ChallengeState | undefined;
    readonly factorLock: FactorLock | undefined;
  },
  limits: CodeAttemptLimits,
  nowMs: number,
): Decision<ReserveOutcome, AttemptChange> {
  const { challenge, factorLock = NEW_FACTOR_LOCK } = stored;
  // A suspension has no end, so the longest lock is returned as the time to wait.
  if (factorLock.isSuspended) {
    return unchanged({ outcome: 'locked', retryAfterMs: limits.maxLockMs, suspended: true });
  }
  if (nowMs < factorLock.lockedUntilMs) {
    const retryAfterMs = factorLock.lockedUntilMs - nowMs;
    return unchanged({ outcome: 'locked', retryAfterMs, suspended: false });
  }
  if (!isAnswerable(challenge, nowMs) || challenge.completedBy !== null) {
    return unchanged({ outcome: 'gone' });
  }
  // An exhausted challenge is kept because its last reserved attempt may still be completed.
  if (challenge.attempts >= limits.perChallenge) return unchanged({ outcome: 'gone' });

  const attempts = challenge.attempts + 1;
  // The attempt counts as a failure now because the caller may crash before it reports the result.
  const failures = factorLock.failures + 1;
  const lock = lockAfter(failures, limits, nowMs);
  return {
    outcome: {
      outcome: 'reserved',
      context: challenge.context,
      attemptsRemaining: limits.perChallenge - attempts,
      lockedUntilMs: lock?.lockedUntilMs ?? null,
      nowMs,
    },
    change: {
      challenge: { ...challenge, attempts },
      factorLock: { ...factorLock, failures, ...lock },
    },
  };
}

function lockAfter(
  failures: number,
  { perUser, lockMs, maxLockMs, suspendAfter }: CodeAttemptLimits,
  nowMs: number,
): Pick<FactorLock, 'lockedUntilMs' | 'isSuspended'> | undefined {
  if (failures >= suspendAfter) return { lockedUntilMs: nowMs + maxLockMs, isSuspended: true };
  if (failures % perUser !== 0) return undefined;
  const doubledMs = lockMs * 2 ** (failures / perUser - 1);
  return { lockedUntilMs: nowMs + Math.min(maxLockMs, doubledMs), isSuspended: false };
}
