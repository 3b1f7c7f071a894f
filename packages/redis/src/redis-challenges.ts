import type { ChallengeStore } from '@latchhook/core/storage';
import { completeChallenge } from './scripts/challenges/complete-challenge.ts';
import { createChallenge } from './scripts/challenges/create-challenge.ts';
import { reserveAttempt } from './scripts/challenges/reserve-attempt.ts';
import { unlockFactor } from './scripts/challenges/unlock-factor.ts';
import type { StoreDeps } from './store-methods.ts';

/** Challenges in Redis: each method is one script, which `create` may run several times. */
export function redisChallenges(deps: StoreDeps): ChallengeStore {
  return {
    create: createChallenge(deps),
    reserveAttempt: reserveAttempt(deps),
    complete: completeChallenge(deps),
    unlock: unlockFactor(deps),
  };
}
