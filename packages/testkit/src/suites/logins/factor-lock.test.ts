import type { ChallengeStore, CodeAttemptLimits, ReserveOutcome } from '@latchhook/core/storage';
import { newChallenge } from '../../samples/login-samples.ts';
import { Outage } from '../../self-test/expect-faults-noticed.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { challengesThat } from '../../self-test/faulty-storage.ts';
import { factorLock } from './factor-lock.ts';

/** The reference with other limits than were asked for. */
function withLimits(change: (limits: CodeAttemptLimits) => Partial<CodeAttemptLimits>) {
  return challengesThat(({ challenges }) => ({
    reserveAttempt: (ref, limits) =>
      challenges.reserveAttempt(ref, { ...limits, ...change(limits) }),
  }));
}

const unlocksNobody = challengesThat(() => ({ unlock: async () => {} }));

/** The reference, except that a right code does not make it forget failures. */
const neverForgets = challengesThat(({ challenges }) => {
  let failures = 0;
  let known: CodeAttemptLimits | undefined;
  return {
    reserveAttempt: async (ref, limits) => {
      known = limits;
      const answer = await challenges.reserveAttempt(ref, limits);
      if (answer.outcome === 'reserved') failures += 1;
      return answer;
    },
    complete: async (request) => {
      const answer = await challenges.complete(request);
      if (known !== undefined) {
        const { userId } = request;
        await failAgain(challenges, { userId, failures, limits: known });
      }
      return answer;
    },
  };
});

interface Failures {
  readonly userId: string;
  readonly failures: number;
  readonly limits: CodeAttemptLimits;
}

async function failAgain(
  challenges: ChallengeStore,
  { userId, failures, limits }: Failures,
): Promise<void> {
  const decoy = newChallenge('decoy', { userId });
  await challenges.create(decoy);
  for (let i = 0; i < failures; i += 1) {
    await challenges.reserveAttempt(decoy, { ...limits, perChallenge: 1e9 });
  }
}

const rejection: ReserveOutcome = { outcome: 'locked', retryAfterMs: 1, suspended: true };

expectLoginFaultsNoticed(factorLock, {
  'locks the factor at the perUser-th consecutive failure, over all challenges': {
    'never locks the factor': withLimits(() => ({ perUser: 1e9 })),
    'locks one attempt late': withLimits(({ perUser }) => ({ perUser: perUser + 1 })),
    'locks one attempt early': withLimits(({ perUser }) => ({ perUser: perUser - 1 })),
  },
  'locks the factor after failures at a single challenge, too': {
    'accepts further attempts at a challenge that has begun': challengesThat(({ challenges }) => {
      const begun = new Set<string>();
      return {
        reserveAttempt: async (ref, limits) => {
          if (begun.has(ref.challengeId)) await challenges.unlock(ref.userId);
          begun.add(ref.challengeId);
          return challenges.reserveAttempt(ref, limits);
        },
      };
    }),
  },
  'unlocks the factor in the millisecond that the lock ends': {
    'ends a lock 1 ms early': withLimits(({ lockMs }) => ({ lockMs: lockMs - 1 })),
    'ends a lock 1 ms late': withLimits(({ lockMs }) => ({ lockMs: lockMs + 1 })),
  },
  'doubles the lock each time, up to maxLockMs': {
    'locks for the same time each time': withLimits(({ lockMs }) => ({ maxLockMs: lockMs })),
    'ignores maxLockMs': withLimits(() => ({ maxLockMs: 1e12 })),
  },
  'counts no attempt while the factor is locked': {
    'counts rejected attempts against the challenge': challengesThat(({ challenges }) => {
      let rejected = 0;
      return {
        reserveAttempt: async (ref, limits) => {
          const answer = await challenges.reserveAttempt(ref, limits);
          if (answer.outcome === 'locked') rejected += 1;
          if (answer.outcome !== 'reserved') return answer;
          return { ...answer, attemptsRemaining: answer.attemptsRemaining - rejected };
        },
      };
    }),
    'restarts the lock on each rejection': challengesThat(({ challenges, clock }) => {
      let lockedUntilMs = 0;
      return {
        reserveAttempt: async (ref, limits) => {
          const answer = await challenges.reserveAttempt(ref, limits);
          if (answer.outcome === 'locked') lockedUntilMs = clock.nowMs() + limits.lockMs + 1;
          return clock.nowMs() < lockedUntilMs ? { ...rejection, suspended: false } : answer;
        },
      };
    }),
  },
  'keeps the factor locked on another login': {
    'resets the failures on each login': challengesThat(({ challenges }) => ({
      create: async (challenge) => {
        await challenges.unlock(challenge.userId);
        return challenges.create(challenge);
      },
    })),
  },
  'unlocks the factor on the right code, even if its attempt caused the lock': {
    'never resets the failures': neverForgets,
  },
  'locks the factor of one user only': {
    'locks all users': challengesThat(({ challenges }) => {
      let isLocked = false;
      return {
        reserveAttempt: async (ref, limits) => {
          if (isLocked) return rejection;
          const answer = await challenges.reserveAttempt(ref, limits);
          isLocked = answer.outcome === 'reserved' && answer.lockedUntilMs !== null;
          return answer;
        },
      };
    }),
  },
  'suspends the factor after suspendAfter failures, without an end': {
    'never suspends the factor': withLimits(() => ({ suspendAfter: 1e9 })),
    'does not report the suspension': challengesThat(({ challenges }) => ({
      reserveAttempt: async (ref, limits) => {
        const answer = await challenges.reserveAttempt(ref, limits);
        return answer.outcome === 'locked' ? { ...answer, suspended: false } : answer;
      },
    })),
  },
  'does not suspend the factor if the last attempt was right': {
    'suspends the factor before the code is verified': challengesThat(({ challenges }) => {
      let attempts = 0;
      return {
        reserveAttempt: async (ref, limits) => {
          attempts += 1;
          return attempts > limits.suspendAfter
            ? rejection
            : challenges.reserveAttempt(ref, limits);
        },
      };
    }),
  },
  'ends a lock on unlock(), and resets the failures': {
    'ignores unlock()': unlocksNobody,
    'keeps the failures after unlock()': challengesThat(({ challenges }) => {
      let earlier = 0;
      return {
        reserveAttempt: async (ref, limits) => {
          const answer = await challenges.reserveAttempt(ref, limits);
          if (answer.outcome !== 'reserved' || earlier === 0) return answer;
          return { ...answer, lockedUntilMs: answer.nowMs + limits.lockMs };
        },
        unlock: async (userId) => {
          earlier += 1;
          await challenges.unlock(userId);
        },
      };
    }),
  },
  'ends a suspension on unlock()': {
    'ignores unlock()': unlocksNobody,
    'ends no suspension on unlock()': challengesThat(({ challenges }) => {
      let isSuspended = false;
      return {
        reserveAttempt: async (ref, limits) => {
          const answer = await challenges.reserveAttempt(ref, limits);
          isSuspended ||= answer.outcome === 'locked' && answer.suspended;
          return isSuspended ? rejection : answer;
        },
        unlock: async (userId) => {
          const probe = newChallenge('probe', { userId });
          const limits = { perChallenge: 1, perUser: 1e9, lockMs: 1, maxLockMs: 1 };
          const answer = await challenges.reserveAttempt(probe, { ...limits, suspendAfter: 1e9 });
          isSuspended = answer.outcome === 'locked' && answer.suspended;
          await challenges.unlock(userId);
        },
      };
    }),
  },
  'keeps the last time step consumed after unlock()': {
    'forgets the last time step on unlock()': challengesThat(({ challenges }) => {
      let isForgotten = false;
      return {
        complete: (request) =>
          challenges.complete(isForgotten ? { ...request, totpStep: null } : request),
        unlock: async (userId) => {
          isForgotten = true;
          await challenges.unlock(userId);
        },
      };
    }),
  },
  'accepts unlock() of an unknown user and of an unlocked factor': {
    'throws on unlock() of an unknown user': challengesThat(({ challenges }) => {
      const users = new Set<string>();
      return {
        create: (challenge) => {
          users.add(challenge.userId);
          return challenges.create(challenge);
        },
        unlock: async (userId) => {
          if (!users.has(userId)) throw new Outage();
          await challenges.unlock(userId);
        },
      };
    }),
  },
});
