import type { ChallengeStore, CompleteRequest } from '@latchhook/core/storage';
import { ADA, newChallenge } from '../../samples/login-samples.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { challengesThat } from '../../self-test/faulty-storage.ts';
import { challengeCompletion } from './challenge-completion.ts';

/** The reference with a broken `complete`. */
function completionThat(
  change: (
    complete: ChallengeStore['complete'],
    challenges: ChallengeStore,
  ) => ChallengeStore['complete'],
) {
  return challengesThat(({ challenges }) => ({
    complete: change((request) => challenges.complete(request), challenges),
  }));
}

expectLoginFaultsNoticed(challengeCompletion, {
  'creates the session with timestamps of the storage clock': {
    'returns the time of the login as createdAtMs': completionThat(
      (complete) => async (request) => {
        const answer = await complete(request);
        if (answer.outcome !== 'completed') return answer;
        const createdAtMs = request.session.authTimeMs;
        return { ...answer, session: { ...answer.session, createdAtMs } };
      },
    ),
    'creates no session': challengesThat(({ challenges, sessions }) => ({
      complete: async (request) => {
        const answer = await challenges.complete(request);
        await sessions.revoke(request.session);
        return answer;
      },
    })),
  },
  'consumes the challenge': {
    'leaves the challenge open': challengesThat(({ challenges }) => {
      let answered = 0;
      const next = <Ref extends { challengeId: string }>(ref: Ref): Ref => ({
        ...ref,
        challengeId: `${ref.challengeId} after ${answered}`,
      });
      return {
        create: (challenge) => challenges.create(next(challenge)),
        reserveAttempt: (ref, limits) => challenges.reserveAttempt(next(ref), limits),
        complete: async (request) => {
          const answer = await challenges.complete(next(request));
          answered += 1;
          await challenges.create(next(newChallenge(request.challengeId)));
          return answer;
        },
      };
    }),
  },
  'completes after a reserved attempt even if a later attempt was rejected': {
    'deletes an exhausted challenge': challengesThat(({ challenges }) => {
      const exhausted = new Set<string>();
      return {
        reserveAttempt: async (ref, limits) => {
          const answer = await challenges.reserveAttempt(ref, limits);
          if (answer.outcome === 'gone') exhausted.add(ref.challengeId);
          return answer;
        },
        complete: async (request) =>
          exhausted.has(request.challengeId) ? { outcome: 'gone' } : challenges.complete(request),
      };
    }),
  },
  'completes before ttlMs has passed, and not from then on': {
    'expires a challenge 1 ms early': challengesThat(({ challenges }) => ({
      create: (challenge) => challenges.create({ ...challenge, ttlMs: challenge.ttlMs - 1 }),
    })),
    'expires a challenge 1 ms late': challengesThat(({ challenges }) => ({
      create: (challenge) => challenges.create({ ...challenge, ttlMs: challenge.ttlMs + 1 }),
    })),
  },
  'finds a challenge only by user id and challenge id': {
    'ignores the user id': completionThat(
      (complete) => (request) => complete({ ...request, userId: ADA }),
    ),
    'completes an unknown challenge': completionThat((complete, challenges) => async (request) => {
      await challenges.create(newChallenge(request.challengeId, { userId: request.userId }));
      return complete(request);
    }),
  },
  'accepts a time step once, and then no earlier one': {
    'consumes no time step': completionThat(
      (complete) => (request) => complete({ ...request, totpStep: null }),
    ),
    'rejects the last time step only': completionThat((complete) => {
      let last: number | null = null;
      return async (request: CompleteRequest) => {
        if (request.totpStep === last) return { outcome: 'step_used' };
        const answer = await complete({ ...request, totpStep: null });
        if (answer.outcome === 'completed') last = request.totpStep;
        return answer;
      };
    }),
  },
  'changes nothing if the time step was used': {
    'consumes the challenge': challengesThat(({ challenges }) => {
      const spent = new Set<string>();
      return {
        reserveAttempt: async (ref, limits) =>
          spent.has(ref.challengeId) ? { outcome: 'gone' } : challenges.reserveAttempt(ref, limits),
        complete: async (request) => {
          const answer = await challenges.complete(request);
          if (answer.outcome === 'step_used') spent.add(request.challengeId);
          return answer;
        },
      };
    }),
    'resets the failures of the user first': completionThat(
      (complete, challenges) => async (request) => {
        await challenges.unlock(request.userId);
        return complete(request);
      },
    ),
  },
  'consumes no time step with a recovery code': {
    'consumes a later time step': completionThat(
      (complete) => (request) => complete({ ...request, totpStep: request.totpStep ?? 1e9 }),
    ),
    'forgets the last time step': completionThat((complete) => {
      let isForgotten = false;
      return async (request: CompleteRequest) => {
        const answer = await complete(isForgotten ? { ...request, totpStep: null } : request);
        isForgotten ||= request.totpStep === null;
        return answer;
      };
    }),
  },
  'consumes time steps per user': {
    'shares time steps between users': completionThat((complete) => {
      const taken = new Set<number | null>();
      return async (request: CompleteRequest) => {
        if (taken.has(request.totpStep)) return { outcome: 'step_used' };
        taken.add(request.totpStep);
        return complete(request);
      };
    }),
  },
  'ends the oldest session beyond maxSessionsPerUser': {
    'ignores maxSessionsPerUser': completionThat(
      (complete) => (request) => complete({ ...request, maxSessionsPerUser: 1000 }),
    ),
  },
});
