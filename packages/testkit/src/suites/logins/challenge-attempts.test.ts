import { ADA, newChallenge } from '../../samples/login-samples.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { challengesThat, storageOfEachConnection } from '../../self-test/faulty-storage.ts';
import { challengeAttempts } from './challenge-attempts.ts';

expectLoginFaultsNoticed(challengeAttempts, {
  'are reserved until the challenge has none left, and return how many remain': {
    'knows no limit': challengesThat(({ challenges }) => ({
      reserveAttempt: (ref, limits) =>
        challenges.reserveAttempt(ref, { ...limits, perChallenge: 1e9 }),
    })),
    'allows one too many': challengesThat(({ challenges }) => ({
      reserveAttempt: (ref, limits) =>
        challenges.reserveAttempt(ref, { ...limits, perChallenge: limits.perChallenge + 1 }),
    })),
    'answers one too many': challengesThat(({ challenges }) => ({
      reserveAttempt: async (ref, limits) => {
        const answer = await challenges.reserveAttempt(ref, limits);
        if (answer.outcome !== 'reserved') return answer;
        return { ...answer, attemptsRemaining: answer.attemptsRemaining + 1 };
      },
    })),
  },
  'answer the context that the login stored': {
    'turns no account into account 0': challengesThat(({ challenges }) => ({
      create: (challenge) => {
        const accountId = Number(challenge.context.accountId);
        return challenges.create({ ...challenge, context: { ...challenge.context, accountId } });
      },
    })),
    'keeps a number of what looks like one': challengesThat(({ challenges }) => ({
      create: (challenge) => {
        const { accountId } = challenge.context;
        const read = accountId === '1' ? 1 : accountId;
        return challenges.create({
          ...challenge,
          context: { ...challenge.context, accountId: read },
        });
      },
    })),
    'takes every login for one of v1': challengesThat(({ challenges }) => ({
      create: (challenge) =>
        challenges.create({ ...challenge, context: { ...challenge.context, version: 'v1' } }),
    })),
  },
  'answer the time of the store': {
    'answers another time': challengesThat(({ challenges, clock }) => ({
      reserveAttempt: async (ref, limits) => {
        const answer = await challenges.reserveAttempt(ref, limits);
        return answer.outcome === 'reserved' ? { ...answer, nowMs: clock.nowMs() - 1234 } : answer;
      },
    })),
  },
  'answer values that JSON carries unchanged': {
    'has locks without an end': challengesThat(({ challenges }) => ({
      reserveAttempt: async (ref, limits) => {
        const answer = await challenges.reserveAttempt(ref, limits);
        if (answer.outcome !== 'locked') return answer;
        return { ...answer, retryAfterMs: Number.POSITIVE_INFINITY };
      },
    })),
  },
  'may be made until ttlMs is over, exclusive': {
    'ends it a millisecond early': challengesThat(({ challenges }) => ({
      create: (challenge) => challenges.create({ ...challenge, ttlMs: challenge.ttlMs - 1 }),
    })),
    'ends it a millisecond late': challengesThat(({ challenges }) => ({
      create: (challenge) => challenges.create({ ...challenge, ttlMs: challenge.ttlMs + 1 }),
    })),
  },
  'find a challenge only by both parts of its name': {
    'looks the challenge up alone': challengesThat(({ challenges }) => ({
      reserveAttempt: (ref, limits) => challenges.reserveAttempt({ ...ref, userId: ADA }, limits),
    })),
  },
  'count over every connection': { 'counts in the process': storageOfEachConnection },
  'cost the user nothing if they are not reserved': {
    'counts the rejected ones too': challengesThat(({ challenges }) => ({
      reserveAttempt: async (ref, limits) => {
        const answer = await challenges.reserveAttempt(ref, limits);
        if (answer.outcome === 'gone') {
          const decoy = newChallenge('decoy', { userId: ref.userId });
          await challenges.create(decoy);
          await challenges.reserveAttempt(decoy, { ...limits, perChallenge: 1e9 });
        }
        return answer;
      },
    })),
  },
});
