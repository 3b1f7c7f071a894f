import { ADA, newChallenge } from '../../samples/login-samples.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyChallenges, faultyRequests, faultyResults } from '../../self-test/faulty-storage.ts';
import { unshared } from '../../self-test/reference.ts';
import { challengeAttempts } from './challenge-attempts.ts';

expectLoginFaultsNoticed(challengeAttempts, {
  'reserves perChallenge attempts over all connections, and returns how many remain': {
    'ignores perChallenge': faultyChallenges((challenges) => ({
      reserveAttempt: (ref, limits) =>
        challenges.reserveAttempt(ref, { ...limits, perChallenge: 1e9 }),
    })),
    'reserves one attempt too many': faultyChallenges((challenges) => ({
      reserveAttempt: (ref, limits) =>
        challenges.reserveAttempt(ref, { ...limits, perChallenge: limits.perChallenge + 1 }),
    })),
    'returns one remaining attempt too many': faultyResults(
      'challenges',
      'reserveAttempt',
      (result) =>
        result.outcome === 'reserved'
          ? { ...result, attemptsRemaining: result.attemptsRemaining + 1 }
          : result,
    ),

    'counts attempts per connection': unshared,
  },
  'returns the context that the login stored': {
    'stores account null as 0': faultyChallenges((challenges) => ({
      create: (challenge) => {
        const accountId = Number(challenge.context.accountId);
        return challenges.create({ ...challenge, context: { ...challenge.context, accountId } });
      },
    })),
    'stores a numeric account text as a number': faultyChallenges((challenges) => ({
      create: (challenge) => {
        const { accountId } = challenge.context;
        const stored = accountId === '1' ? 1 : accountId;
        return challenges.create({
          ...challenge,
          context: { ...challenge.context, accountId: stored },
        });
      },
    })),
    'stores version v1 for every login': faultyRequests('challenges', 'create', ({ context }) => ({
      context: { ...context, version: 'v1' },
    })),
  },
  'returns the time of the storage clock with a reserved attempt': {
    'returns another time': faultyChallenges((challenges, { clock }) => ({
      reserveAttempt: async (ref, limits) => {
        const result = await challenges.reserveAttempt(ref, limits);
        return result.outcome === 'reserved' ? { ...result, nowMs: clock.nowMs() - 1234 } : result;
      },
    })),
  },
  'returns outcomes of attempts that survive a JSON round trip': {
    'returns an infinite retryAfterMs': faultyResults('challenges', 'reserveAttempt', (result) =>
      result.outcome === 'locked' ? { ...result, retryAfterMs: Number.POSITIVE_INFINITY } : result,
    ),
  },
  'reserves attempts only before ttlMs has passed': {
    'expires a challenge 1 ms early': faultyRequests('challenges', 'create', ({ ttlMs }) => ({
      ttlMs: ttlMs - 1,
    })),
    'expires a challenge 1 ms late': faultyRequests('challenges', 'create', ({ ttlMs }) => ({
      ttlMs: ttlMs + 1,
    })),
  },
  'finds a challenge only by user id and challenge id': {
    'ignores the user id': faultyRequests('challenges', 'reserveAttempt', () => ({ userId: ADA })),
  },
  'counts no rejected attempt towards the lock of the user': {
    'counts rejected attempts too': faultyChallenges((challenges) => ({
      reserveAttempt: async (ref, limits) => {
        const result = await challenges.reserveAttempt(ref, limits);
        if (result.outcome === 'gone') {
          const decoy = newChallenge('decoy', { userId: ref.userId });
          await challenges.create(decoy);
          await challenges.reserveAttempt(decoy, { ...limits, perChallenge: 1e9 });
        }
        return result;
      },
    })),
  },
});
