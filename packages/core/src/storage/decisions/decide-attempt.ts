import type { CodeAttemptLimits, ReserveOutcome } from '../challenge-store.ts';
import { type ChallengeState, isAnswerable } from './challenge-state.ts';
import { type Decision, unchanged } from './decision.ts';
import { type FactorState, NEW_FACTOR } from './factor-state.ts';

/** What a reserved attempt counts against. */
export interface AttemptChange {
  /** The challenge with one more attempt. */
  readonly challenge: ChallengeState;
  /** The factor with one more failure, and locked if that was one too many. */
  readonly factor: FactorState;
}

/**
 * Decides `reserveAttempt` of challenges: whether a code may be looked at, and whether the factor locks. For authors of
 * storages.
 *
 * Atomicity: call it within the transaction that stores the change, all of it; see {@link Decision}.
 *
 * @param found - the challenge and the user's factor; `undefined` where the store has none.
 */
export function decideAttempt(
  found: {
    readonly challenge: ChallengeState | undefined;
    readonly factor: FactorState | undefined;
  },
  limits: CodeAttemptLimits,
  nowMs: number,
): Decision<ReserveOutcome, AttemptChange> {
  const { challenge, factor = NEW_FACTOR } = found;
  // Time does not lift a suspension, so the longest wait stands for it.
  if (factor.isSuspended) {
    return unchanged({ outcome: 'locked', retryAfterMs: limits.maxLockMs, suspended: true });
  }
  if (nowMs < factor.lockedUntilMs) {
    const retryAfterMs = factor.lockedUntilMs - nowMs;
    return unchanged({ outcome: 'locked', retryAfterMs, suspended: false });
  }
  if (!isAnswerable(challenge, nowMs) || challenge.completedBy !== null) {
    return unchanged({ outcome: 'gone' });
  }
  // An exhausted challenge is kept: its last reserved attempt may still be on its way to `complete`.
  if (challenge.attempts >= limits.perChallenge) return unchanged({ outcome: 'gone' });

  const attempts = challenge.attempts + 1;
  // Counted as a failure, since the caller may die before it reports one.
  const failures = factor.failures + 1;
  const lock = lockAfter(failures, limits, nowMs);
  return {
    answer: {
      outcome: 'reserved',
      context: challenge.context,
      attemptsRemaining: limits.perChallenge - attempts,
      lockedUntilMs: lock?.lockedUntilMs ?? null,
      nowMs,
    },
    change: { challenge: { ...challenge, attempts }, factor: { ...factor, failures, ...lock } },
  };
}

function lockAfter(
  failures: number,
  { perUser, lockMs, maxLockMs, suspendAfter }: CodeAttemptLimits,
  nowMs: number,
): Pick<FactorState, 'lockedUntilMs' | 'isSuspended'> | undefined {
  if (failures >= suspendAfter) return { lockedUntilMs: nowMs + maxLockMs, isSuspended: true };
  if (failures % perUser !== 0) return undefined;
  const doubledMs = lockMs * 2 ** (failures / perUser - 1);
  return { lockedUntilMs: nowMs + Math.min(maxLockMs, doubledMs), isSuspended: false };
}
