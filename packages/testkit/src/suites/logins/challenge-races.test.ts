import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { challengesThat } from '../../self-test/faulty-storage.ts';
import { readThenWriteStorage } from '../../self-test/read-then-write-storage.ts';
import { challengeRaces } from './challenge-races.ts';

const readsThenWrites = { 'reads, then writes': readThenWriteStorage };

expectLoginFaultsNoticed(challengeRaces, {
  'one challenge takes 5 of 100 parallel attempts': {
    ...readsThenWrites,
    'counts an attempt once it has failed': challengesThat(({ challenges }) => {
      let underWay = 0;
      return {
        reserveAttempt: async (ref, limits) => {
          underWay += 1;
          const known = { ...limits, perChallenge: limits.perChallenge + underWay };
          return challenges.reserveAttempt(ref, known);
        },
      };
    }),
  },
  'one user takes 10 parallel attempts over 40 challenges, and is locked': readsThenWrites,
  'one time step completes one of 20 challenges': readsThenWrites,
  'one challenge is completed by one of 20 sessions': readsThenWrites,
  'no session that a challenge started during a revocation of all survives it': readsThenWrites,
});
