import type { Clock } from '../../ports/clock.ts';
import type {
  AttemptLimits,
  ChallengeRef,
  ChallengeStore,
  CompleteOutcome,
  CompleteRequest,
  CreateChallengeOutcome,
  NewChallenge,
  ReserveOutcome,
} from '../challenge-store.ts';
import { startSession } from './start-session.ts';
import {
  type ChallengeState,
  type FactorState,
  isAlive,
  isSuperseded,
  type UserState,
  type UserStates,
} from './user-states.ts';

/** Challenges in memory. As in the session store, no method awaits: each is one atomic transition. */
export class MemoryChallengeStore implements ChallengeStore {
  readonly #users: UserStates;
  readonly #clock: Clock;

  constructor(users: UserStates, clock: Clock) {
    this.#users = users;
    this.#clock = clock;
  }

  async create(challenge: NewChallenge): Promise<CreateChallengeOutcome> {
    const nowMs = this.#clock.nowMs();
    const { challengeId, context, ttlMs } = challenge;
    const user = this.#users.open(challenge.userId);
    if (isSuperseded(user, challenge, nowMs)) return { outcome: 'superseded' };
    if (!user.challenges.has(challengeId)) {
      user.challenges.set(challengeId, {
        context: { ...context },
        expiresAtMs: nowMs + ttlMs,
        epoch: user.epoch,
        attempts: 0,
        completedBy: null,
      });
    }
    return { outcome: 'created' };
  }

  async reserveAttempt(ref: ChallengeRef, limits: AttemptLimits): Promise<ReserveOutcome> {
    const nowMs = this.#clock.nowMs();
    const user = this.#users.find(ref.userId);
    if (user === undefined) return { outcome: 'gone' };

    const { factor } = user;
    // No time lifts a suspension, so the longest wait there is stands for it.
    if (factor.suspended) {
      return { outcome: 'locked', retryAfterMs: limits.maxLockMs, suspended: true };
    }
    if (nowMs < factor.lockedUntilMs) {
      return { outcome: 'locked', retryAfterMs: factor.lockedUntilMs - nowMs, suspended: false };
    }

    const challenge = findAnswerable(user, ref.challengeId, nowMs);
    if (challenge === undefined || challenge.completedBy !== null) return { outcome: 'gone' };
    // Exhausted, yet kept: the last attempt that was reserved may still be on its way to `complete`.
    if (challenge.attempts >= limits.perChallenge) return { outcome: 'gone' };

    challenge.attempts += 1;
    return {
      outcome: 'reserved',
      context: challenge.context,
      attemptsRemaining: limits.perChallenge - challenge.attempts,
      lockedUntilMs: countFailure(factor, limits, nowMs),
      nowMs,
    };
  }

  async complete(request: CompleteRequest): Promise<CompleteOutcome> {
    const nowMs = this.#clock.nowMs();
    const user = this.#users.find(request.userId);
    if (user === undefined) return { outcome: 'gone' };
    const challenge = findAnswerable(user, request.challengeId, nowMs);
    if (challenge === undefined) return { outcome: 'gone' };
    if (challenge.completedBy !== null) return recall(user, challenge, request, nowMs);

    const { factor } = user;
    if (request.totpStep !== null) {
      if (request.totpStep <= factor.lastTotpStep) return { outcome: 'step_used' };
      factor.lastTotpStep = request.totpStep;
    }
    challenge.completedBy = request.session.sessionId;
    forgetFailures(factor);
    const maxPerUser = request.maxSessionsPerUser;
    const session = startSession(user, request.session, { maxPerUser, nowMs });
    return { outcome: 'completed', session };
  }

  async unlock(userId: string): Promise<void> {
    const user = this.#users.find(userId);
    if (user !== undefined) forgetFailures(user.factor);
  }
}

function findAnswerable(
  user: UserState,
  challengeId: string,
  nowMs: number,
): ChallengeState | undefined {
  const challenge = user.challenges.get(challengeId);
  if (challenge === undefined || challenge.epoch !== user.epoch) return undefined;
  return nowMs < challenge.expiresAtMs ? challenge : undefined;
}

/** The answer to a `complete` that came before: the same to the same session, while that lives. */
function recall(
  user: UserState,
  challenge: ChallengeState,
  request: CompleteRequest,
  nowMs: number,
): CompleteOutcome {
  const session = user.sessions.get(request.session.sessionId);
  const isResent = challenge.completedBy === request.session.sessionId;
  if (!isResent || session === undefined || !isAlive(user, session, nowMs)) {
    return { outcome: 'gone' };
  }
  return { outcome: 'completed', session: session.record };
}

/** Counts the attempt as failed, since its caller may die before it says so; answers a lock's end. */
function countFailure(factor: FactorState, limits: AttemptLimits, nowMs: number): number | null {
  factor.failures += 1;
  const nthLock = factor.failures / limits.perUser;
  if (factor.failures >= limits.suspendAfter) {
    factor.suspended = true;
    factor.lockedUntilMs = nowMs + limits.maxLockMs;
  } else if (Number.isInteger(nthLock)) {
    factor.lockedUntilMs = nowMs + Math.min(limits.maxLockMs, limits.lockMs * 2 ** (nthLock - 1));
  } else {
    return null;
  }
  return factor.lockedUntilMs;
}

/** Everything but the last TOTP step: a used code stays used. */
function forgetFailures(factor: FactorState): void {
  factor.failures = 0;
  factor.lockedUntilMs = 0;
  factor.suspended = false;
}
