import type { Clock } from '../../ports/clock.ts';
import type {
  ChallengeRef,
  ChallengeStore,
  CodeAttemptLimits,
  CompleteOutcome,
  CompleteRequest,
  CreateChallengeOutcome,
  NewChallenge,
  ReserveOutcome,
} from '../challenge-store.ts';
import { decideAttempt } from '../decisions/decide-attempt.ts';
import { decideChallengeCreation } from '../decisions/decide-challenge-creation.ts';
import { decideCompletion } from '../decisions/decide-completion.ts';
import { unlockFactor } from '../decisions/factor-lock.ts';
import type { UserStates } from './user-states.ts';

/** Challenges in memory. As in the session store, no method awaits, so each is one atomic transition. */
export class MemoryChallengeStore implements ChallengeStore {
  readonly #users: UserStates;
  readonly #clock: Clock;

  constructor(users: UserStates, clock: Clock) {
    this.#users = users;
    this.#clock = clock;
  }

  async create(challenge: NewChallenge): Promise<CreateChallengeOutcome> {
    const nowMs = this.#clock.nowMs();
    const user = this.#users.open(challenge.userId);
    const { challenges, revokedAllAtMs } = user;
    const found = { challenge: challenges.get(challenge.challengeId), revokedAllAtMs };
    const { answer, change } = decideChallengeCreation(found, challenge, nowMs);
    if (change !== null) challenges.set(change.challengeId, change);
    return answer;
  }

  async reserveAttempt(
    { userId, challengeId }: ChallengeRef,
    limits: CodeAttemptLimits,
  ): Promise<ReserveOutcome> {
    const user = this.#users.find(userId);
    const found = { challenge: user?.challenges.get(challengeId), factorLock: user?.factorLock };
    const { answer, change } = decideAttempt(found, limits, this.#clock.nowMs());
    if (user !== undefined && change !== null) {
      user.challenges.set(challengeId, change.challenge);
      user.factorLock = change.factorLock;
    }
    return answer;
  }

  async complete(request: CompleteRequest): Promise<CompleteOutcome> {
    const user = this.#users.find(request.userId);
    if (user === undefined) return { outcome: 'gone' };
    const { challenges, factorLock, sessions } = user;
    const challenge = challenges.get(request.challengeId);
    const found = { challenge, factorLock, sessions: [...sessions.values()] };
    const { answer, change } = decideCompletion(found, request, this.#clock.nowMs());
    if (change !== null) {
      challenges.set(request.challengeId, change.challenge);
      user.factorLock = change.factorLock;
      for (const changed of change.sessions) sessions.set(changed.record.sessionId, changed);
    }
    return answer;
  }

  async unlock(userId: string): Promise<void> {
    const user = this.#users.find(userId);
    if (user !== undefined) user.factorLock = unlockFactor(user.factorLock);
  }
}
