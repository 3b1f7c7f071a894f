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
  'starts the session, at the time of the store': {
    'takes the time of the login': completionThat((complete) => async (request) => {
      const answer = await complete(request);
      if (answer.outcome !== 'completed') return answer;
      const createdAtMs = request.session.authTimeMs;
      return { ...answer, session: { ...answer.session, createdAtMs } };
    }),
    'starts none': challengesThat(({ challenges, sessions }) => ({
      complete: async (request) => {
        const answer = await challenges.complete(request);
        await sessions.revoke(request.session);
        return answer;
      },
    })),
  },
  'uses the challenge up': {
    'leaves it open': challengesThat(({ challenges }) => {
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
  'is possible for every reserved attempt, even after a later one was rejected': {
    'deletes what is exhausted': challengesThat(({ challenges }) => {
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
  'is possible until ttlMs is over, exclusive': {
    'ends it a millisecond early': challengesThat(({ challenges }) => ({
      create: (challenge) => challenges.create({ ...challenge, ttlMs: challenge.ttlMs - 1 }),
    })),
    'ends it a millisecond late': challengesThat(({ challenges }) => ({
      create: (challenge) => challenges.create({ ...challenge, ttlMs: challenge.ttlMs + 1 }),
    })),
  },
  'finds a challenge only by both parts of its name': {
    'looks the challenge up alone': completionThat(
      (complete) => (request) => complete({ ...request, userId: ADA }),
    ),
    'takes an unknown one for open': completionThat((complete, challenges) => async (request) => {
      await challenges.create(newChallenge(request.challengeId, { userId: request.userId }));
      return complete(request);
    }),
  },
  'takes a time step once, and then neither it nor an earlier one': {
    'never takes it': completionThat(
      (complete) => (request) => complete({ ...request, totpStep: null }),
    ),
    'remembers one step, not all before it': completionThat((complete) => {
      let last: number | null = null;
      return async (request: CompleteRequest) => {
        if (request.totpStep === last) return { outcome: 'step_used' };
        const answer = await complete({ ...request, totpStep: null });
        if (answer.outcome === 'completed') last = request.totpStep;
        return answer;
      };
    }),
  },
  'leaves everything unchanged if the step was used': {
    'uses the challenge up': challengesThat(({ challenges }) => {
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
    'forgets the failures first': completionThat((complete, challenges) => async (request) => {
      await challenges.unlock(request.userId);
      return complete(request);
    }),
  },
  'by a recovery code takes no step': {
    'takes the present one': completionThat(
      (complete) => (request) => complete({ ...request, totpStep: request.totpStep ?? 1e9 }),
    ),
    'forgets the last': completionThat((complete) => {
      let isForgotten = false;
      return async (request: CompleteRequest) => {
        const answer = await complete(isForgotten ? { ...request, totpStep: null } : request);
        isForgotten ||= request.totpStep === null;
        return answer;
      };
    }),
  },
  'takes steps of one user only': {
    'takes them of all': completionThat((complete) => {
      const taken = new Set<number | null>();
      return async (request: CompleteRequest) => {
        if (taken.has(request.totpStep)) return { outcome: 'step_used' };
        taken.add(request.totpStep);
        return complete(request);
      };
    }),
  },
  'respects the cap': {
    'knows none': completionThat(
      (complete) => (request) => complete({ ...request, maxSessionsPerUser: 1000 }),
    ),
  },
});
