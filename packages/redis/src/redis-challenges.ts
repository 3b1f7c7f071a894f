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
    create: (challenge) => {
      const keys = keyspace.ofChallenge(challenge);
      return createChallenge(call, keys, challenge, newDeadline());
    },
    reserveAttempt: (ref, limits) => reserveAttempt(call, keyspace.ofChallenge(ref), limits),
    complete: (request) => {
      const { userId, session } = request;
      // The key uses the challenge's user rather than the session's because all keys of a script must be in one slot.
      const sessionKeys = keyspace.ofSession({ userId, sessionId: session.sessionId });
      const keys = { ...sessionKeys, ...keyspace.ofChallenge(request) };
      return completeChallenge(call, keys, request);
    },
    unlock: (userId) => unlockFactor(call, keyspace.ofUser(userId)),
  };
}
