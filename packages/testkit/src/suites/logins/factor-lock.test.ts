import type { ChallengeStore, CodeAttemptLimits, ReserveOutcome } from '@latchhook/core/storage';
import { newChallenge } from '../../samples/login-samples.ts';
import { Outage } from '../../self-test/expect-faults-noticed.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyChallenges, faultyResults } from '../../self-test/faulty-storage.ts';
import { factorLock } from './factor-lock.ts';

/** The reference with changed limits. */
function withLimits(change: (limits: CodeAttemptLimits) => Partial<CodeAttemptLimits>) {
  return faultyChallenges((challenges) => ({
    reserveAttempt: (ref, limits) =>
      challenges.reserveAttempt(ref, { ...limits, ...change(limits) }),
  }));
}

const unlocksNobody = faultyChallenges(() => ({ unlock: async () => {} }));

/** The reference, but failures still count after a right code. */
const neverResetsFailures = faultyChallenges((challenges) => {
  let failures = 0;
  let lastLimits: CodeAttemptLimits | undefined;
  return {
    reserveAttempt: async (ref, limits) => {
      lastLimits = limits;
      const result = await challenges.reserveAttempt(ref, limits);
      if (result.outcome === 'reserved') failures += 1;
      return result;
    },
    complete: async (request) => {
      const result = await challenges.complete(request);
      if (lastLimits !== undefined) {
        const { userId } = request;
        await failAgain(challenges, { userId, failures, limits: lastLimits });
      }
      return result;
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

    'resets the failures on each login': faultyChallenges((challenges) => ({
      create: async (challenge) => {
        await challenges.unlock(challenge.userId);
        return challenges.create(challenge);
      },
    })),
  },
  'locks the factor even if all failures are of one challenge': {
    'accepts further attempts at a challenge that has begun': faultyChallenges((challenges) => {
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
    'counts rejected attempts against the challenge': faultyChallenges((challenges) => {
      let rejected = 0;
      return {
        reserveAttempt: async (ref, limits) => {
          const result = await challenges.reserveAttempt(ref, limits);
          if (result.outcome === 'locked') rejected += 1;
          if (result.outcome !== 'reserved') return result;
          return { ...result, attemptsRemaining: result.attemptsRemaining - rejected };
        },
      };
    }),
    'restarts the lock on each rejection': faultyChallenges((challenges, { clock }) => {
      let lockedUntilMs = 0;
      return {
        reserveAttempt: async (ref, limits) => {
          const result = await challenges.reserveAttempt(ref, limits);
          if (result.outcome === 'locked') lockedUntilMs = clock.nowMs() + limits.lockMs + 1;
          return clock.nowMs() < lockedUntilMs ? { ...rejection, suspended: false } : result;
        },
      };
    }),
  },
  'unlocks the factor when a code is right, even if the attempt caused the lock': {
    'never resets the failures': neverResetsFailures,
  },
  'locks the factor of one user only': {
    'locks all users': faultyChallenges((challenges) => {
      let isLocked = false;
      return {
        reserveAttempt: async (ref, limits) => {
          if (isLocked) return rejection;
          const result = await challenges.reserveAttempt(ref, limits);
          isLocked = result.outcome === 'reserved' && result.lockedUntilMs !== null;
          return result;
        },
      };
    }),
  },
  'suspends the factor without an end after suspendAfter failures': {
    'never suspends the factor': withLimits(() => ({ suspendAfter: 1e9 })),
    'does not report the suspension': faultyResults('challenges', 'reserveAttempt', (result) =>
      result.outcome === 'locked' ? { ...result, suspended: false } : result,
    ),
  },
  'does not suspend the factor if the attempt that reaches suspendAfter is right': {
    'suspends the factor before the code is verified': faultyChallenges((challenges) => {
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
  'ends a lock or a suspension on unlock(), and resets the failures': {
    'ignores unlock()': unlocksNobody,
    'keeps the failures after unlock()': faultyChallenges((challenges) => {
      let unlocks = 0;
      return {
        reserveAttempt: async (ref, limits) => {
          const result = await challenges.reserveAttempt(ref, limits);
          if (result.outcome !== 'reserved' || unlocks === 0) return result;
          return { ...result, lockedUntilMs: result.nowMs + limits.lockMs };
        },
        unlock: async (userId) => {
          unlocks += 1;
          await challenges.unlock(userId);
        },
      };
    }),

    'ends no suspension on unlock()': faultyChallenges((challenges) => {
      let isSuspended = false;
      return {
        reserveAttempt: async (ref, limits) => {
          const result = await challenges.reserveAttempt(ref, limits);
          isSuspended ||= result.outcome === 'locked' && result.suspended;
          return isSuspended ? rejection : result;
        },
        unlock: async (userId) => {
          // An attempt at an unknown challenge shows whether the factor is suspended.
          const probe = newChallenge('probe', { userId });
          const limits = { perChallenge: 1, perUser: 1e9, lockMs: 1, maxLockMs: 1 };
          const result = await challenges.reserveAttempt(probe, { ...limits, suspendAfter: 1e9 });
          isSuspended = result.outcome === 'locked' && result.suspended;
          await challenges.unlock(userId);
        },
      };
    }),
  },
  'returns step_used for the last time step even after unlock()': {
    'forgets the last time step on unlock()': faultyChallenges((challenges) => {
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
    'throws on unlock() of an unknown user': faultyChallenges((challenges) => {
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
