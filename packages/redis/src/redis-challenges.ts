import type { CallDeadline, ChallengeStore } from '@latchhook/core/storage';
import type { Keyspace } from './keyspace.ts';
import type { CallScript } from './script-caller.ts';
import { completeChallenge } from './scripts/challenges/complete-challenge.ts';
import { createChallenge } from './scripts/challenges/create-challenge.ts';
import { reserveAttempt } from './scripts/challenges/reserve-attempt.ts';
import { unlockFactor } from './scripts/challenges/unlock-factor.ts';

/** Challenges in Redis: each method is one script, which `create` may run several times. */
export function redisChallenges(
  call: CallScript,
  keyspace: Keyspace,
  newDeadline: () => CallDeadline,
): ChallengeStore {
  return {
    create: createChallenge(call, keyspace, newDeadline),
    reserveAttempt: reserveAttempt(call, keyspace),
    complete: completeChallenge(call, keyspace),
    unlock: unlockFactor(call, keyspace),
  };
}
