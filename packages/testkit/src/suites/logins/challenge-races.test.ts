import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyChallenges } from '../../self-test/faulty-storage.ts';
import { nonAtomic } from '../../self-test/reference.ts';
import { challengeRaces } from './challenge-races.ts';

const readsThenWrites = { 'reads and writes non-atomically': nonAtomic };

expectLoginFaultsNoticed(challengeRaces, {
  'reserves 5 of 100 parallel attempts at one challenge': {
    ...readsThenWrites,
    'counts an attempt only when it has failed': faultyChallenges((challenges) => {
      let inProgress = 0;
      return {
        reserveAttempt: async (ref, limits) => {
          inProgress += 1;
          const perChallenge = limits.perChallenge + inProgress;
          return challenges.reserveAttempt(ref, { ...limits, perChallenge });
        },
      };
    }),
  },
  'reserves 10 of 40 parallel attempts of one user, and locks out the others': readsThenWrites,
  'completes one of 20 challenges in parallel with the same time step': readsThenWrites,
  'completes a challenge once under 20 parallel calls': readsThenWrites,
  'ends every session that a challenge creates during revokeAll()': readsThenWrites,
});
