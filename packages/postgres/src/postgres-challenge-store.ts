import type {
  CallDeadline,
  ChallengeRef,
  ChallengeStore,
  CodeAttemptLimits,
  CompleteOutcome,
  CompleteRequest,
  CreateChallengeOutcome,
  NewChallenge,
  ReserveOutcome,
} from '@latchhook/core/storage';
import type { CallFunction } from './function-caller.ts';
import { completeChallenge } from './functions/challenges/complete-challenge.ts';
import { createChallenge } from './functions/challenges/create-challenge.ts';
import { reserveAttempt } from './functions/challenges/reserve-attempt.ts';
import { unlockFactor } from './functions/challenges/unlock-factor.ts';

/** Challenges in PostgreSQL: each method is one call of a function, which `create` may make several times. */
export class PostgresChallengeStore implements ChallengeStore {
  readonly #call: CallFunction;
  readonly #newDeadline: () => CallDeadline;

  constructor(call: CallFunction, newDeadline: () => CallDeadline) {
    this.#call = call;
    this.#newDeadline = newDeadline;
  }

  create(challenge: NewChallenge): Promise<CreateChallengeOutcome> {
    return createChallenge(this.#call, challenge, this.#newDeadline());
  }

  reserveAttempt(ref: ChallengeRef, limits: CodeAttemptLimits): Promise<ReserveOutcome> {
    return reserveAttempt(this.#call, ref, limits);
  }

  complete(request: CompleteRequest): Promise<CompleteOutcome> {
    return completeChallenge(this.#call, request);
  }

  unlock(userId: string): Promise<void> {
    return unlockFactor(this.#call, userId);
  }
}
