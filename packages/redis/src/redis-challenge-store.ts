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
import type { Keyspace } from './keyspace.ts';
import type { CallScript } from './script-caller.ts';
import { completeChallenge } from './scripts/challenges/complete-challenge.ts';
import { createChallenge } from './scripts/challenges/create-challenge.ts';
import { reserveAttempt } from './scripts/challenges/reserve-attempt.ts';
import { unlockFactor } from './scripts/challenges/unlock-factor.ts';

/** Challenges in Redis: each method is one script, which `create` may run several times. */
export class RedisChallengeStore implements ChallengeStore {
  readonly #call: CallScript;
  readonly #keyspace: Keyspace;
  readonly #newDeadline: () => CallDeadline;

  constructor(call: CallScript, keyspace: Keyspace, newDeadline: () => CallDeadline) {
    this.#call = call;
    this.#keyspace = keyspace;
    this.#newDeadline = newDeadline;
  }

  create(challenge: NewChallenge): Promise<CreateChallengeOutcome> {
    const keys = this.#keyspace.ofChallenge(challenge);
    return createChallenge(this.#call, keys, challenge, this.#newDeadline());
  }

  reserveAttempt(ref: ChallengeRef, limits: CodeAttemptLimits): Promise<ReserveOutcome> {
    return reserveAttempt(this.#call, this.#keyspace.ofChallenge(ref), limits);
  }

  complete(request: CompleteRequest): Promise<CompleteOutcome> {
    const { userId, session } = request;
    // By the challenge's user, whatever the session says: the keys must be in one slot.
    const sessionKeys = this.#keyspace.ofSession({ userId, sessionId: session.sessionId });
    const keys = { ...sessionKeys, ...this.#keyspace.ofChallenge(request) };
    return completeChallenge(this.#call, keys, request);
  }

  unlock(userId: string): Promise<void> {
    return unlockFactor(this.#call, this.#keyspace.ofUser(userId));
  }
}
