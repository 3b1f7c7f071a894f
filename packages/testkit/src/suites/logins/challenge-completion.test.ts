import type { ChallengeStore, CompleteRequest } from '@latchhook/core/storage';
import { ADA, newChallenge } from '../../samples/login-samples.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyChallenges, faultyRequests } from '../../self-test/faulty-storage.ts';
import { challengeCompletion } from './challenge-completion.ts';

/** The reference with a faulty `complete`. */
function faultyCompletion(
  change: (
    complete: ChallengeStore['complete'],
    challenges: ChallengeStore,
  ) => ChallengeStore['complete'],
) {
  return faultyChallenges((challenges) => ({
    complete: change((request) => challenges.complete(request), challenges),
  }));
}

expectLoginFaultsNoticed(challengeCompletion, {
  'creates the session with timestamps of the storage clock': {
    'returns the time of the login as createdAtMs': faultyCompletion(
      (complete) => async (request) => {
        const result = await complete(request);
        if (result.outcome !== 'completed') return result;
        const createdAtMs = request.session.authTimeMs;
        return { ...result, session: { ...result.session, createdAtMs } };
      },
    ),
    'creates no session': faultyChallenges((challenges, { sessions }) => ({
      complete: async (request) => {
        const result = await challenges.complete(request);
        await sessions.revoke(request.session);
        return result;
      },
    })),
  },
  'returns gone for a completed challenge': {
    'leaves the challenge open': faultyChallenges((challenges) => {
      // The reference cannot reopen a challenge, so after each completion its id stands for a new challenge there.
      let reopenings = 0;
      const current = <Ref extends { challengeId: string }>(ref: Ref): Ref => ({
        ...ref,
        challengeId: `${ref.challengeId} after ${reopenings}`,
      });
      return {
        create: (challenge) => challenges.create(current(challenge)),
        reserveAttempt: (ref, limits) => challenges.reserveAttempt(current(ref), limits),
        complete: async (request) => {
          const result = await challenges.complete(current(request));
          reopenings += 1;
          await challenges.create(current(newChallenge(request.challengeId)));
          return result;
        },
      };
    }),
  },
  'completes a challenge even if a later attempt was rejected': {
    'deletes an exhausted challenge': faultyChallenges((challenges) => {
      const exhausted = new Set<string>();
      return {
        reserveAttempt: async (ref, limits) => {
          const result = await challenges.reserveAttempt(ref, limits);
          if (result.outcome === 'gone') exhausted.add(ref.challengeId);
          return result;
        },
        complete: async (request) =>
          exhausted.has(request.challengeId) ? { outcome: 'gone' } : challenges.complete(request),
      };
    }),
  },
  'completes a challenge only before ttlMs has passed': {
    'expires a challenge 1 ms early': faultyRequests('challenges', 'create', ({ ttlMs }) => ({
      ttlMs: ttlMs - 1,
    })),
    'expires a challenge 1 ms late': faultyRequests('challenges', 'create', ({ ttlMs }) => ({
      ttlMs: ttlMs + 1,
    })),
  },
  'finds a challenge only by user id and challenge id': {
    'ignores the user id': faultyCompletion(
      (complete) => (request) => complete({ ...request, userId: ADA }),
    ),
    'completes an unknown challenge': faultyCompletion(
      (complete, challenges) => async (request) => {
        await challenges.create(newChallenge(request.challengeId, { userId: request.userId }));
        return complete(request);
      },
    ),
  },
  'returns step_used for the last accepted time step and for earlier ones': {
    'consumes no time step': faultyCompletion(
      (complete) => (request) => complete({ ...request, totpStep: null }),
    ),
    'rejects the last time step only': faultyCompletion((complete) => {
      let last: number | null = null;
      return async (request: CompleteRequest) => {
        if (request.totpStep === last) return { outcome: 'step_used' };
        const result = await complete({ ...request, totpStep: null });
        if (result.outcome === 'completed') last = request.totpStep;
        return result;
      };
    }),
  },
  'leaves the challenge and the failures of its user unchanged on step_used': {
    'returns gone for a completed challenge': faultyChallenges((challenges) => {
      const consumed = new Set<string>();
      return {
        reserveAttempt: async (ref, limits) =>
          consumed.has(ref.challengeId)
            ? { outcome: 'gone' }
            : challenges.reserveAttempt(ref, limits),
        complete: async (request) => {
          const result = await challenges.complete(request);
          if (result.outcome === 'step_used') consumed.add(request.challengeId);
          return result;
        },
      };
    }),
    'resets the failures of the user first': faultyCompletion(
      (complete, challenges) => async (request) => {
        await challenges.unlock(request.userId);
        return complete(request);
      },
    ),
  },
  'consumes no time step if a recovery code completes the challenge': {
    'consumes a later time step': faultyCompletion(
      (complete) => (request) => complete({ ...request, totpStep: request.totpStep ?? 1e9 }),
    ),
    'forgets the last time step': faultyCompletion((complete) => {
      let isForgotten = false;
      return async (request: CompleteRequest) => {
        const result = await complete(isForgotten ? { ...request, totpStep: null } : request);
        isForgotten ||= request.totpStep === null;
        return result;
      };
    }),
  },
  'accepts the same time step from two users': {
    'shares time steps between users': faultyCompletion((complete) => {
      const usedSteps = new Set<number | null>();
      return async (request: CompleteRequest) => {
        if (usedSteps.has(request.totpStep)) return { outcome: 'step_used' };
        usedSteps.add(request.totpStep);
        return complete(request);
      };
    }),
  },
  'ends the oldest session beyond maxSessionsPerUser': {
    'ignores maxSessionsPerUser': faultyCompletion(
      (complete) => (request) => complete({ ...request, maxSessionsPerUser: 1000 }),
    ),
  },
});
