import type { CallDeadline, ChallengeStore } from '@latchhook/core/storage';
import type { CallFunction } from './function-caller.ts';
import { completeChallenge } from './functions/challenges/complete-challenge.ts';
import { createChallenge } from './functions/challenges/create-challenge.ts';
import { reserveAttempt } from './functions/challenges/reserve-attempt.ts';
import { unlockFactor } from './functions/challenges/unlock-factor.ts';

/** Challenges in PostgreSQL: each method is one call of a function, which `create` may make several times. */
export function postgresChallenges(
  call: CallFunction,
  newDeadline: () => CallDeadline,
): ChallengeStore {
  return {
    create: (challenge) => createChallenge(call, challenge, newDeadline()),
    reserveAttempt: (ref, limits) => reserveAttempt(call, ref, limits),
    complete: (request) => completeChallenge(call, request),
    unlock: (userId) => unlockFactor(call, userId),
  };
}
