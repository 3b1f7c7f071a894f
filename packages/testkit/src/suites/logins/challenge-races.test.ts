import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { challengesThat } from '../../self-test/faulty-storage.ts';
import { readThenWriteStorage } from '../../self-test/read-then-write-storage.ts';
import { challengeRaces } from './challenge-races.ts';

const readsThenWrites = { 'reads and writes non-atomically': readThenWriteStorage };

expectLoginFaultsNoticed(challengeRaces, {
  'reserves 5 of 100 parallel attempts at one challenge': {
    ...readsThenWrites,
    'counts an attempt only when it has failed': challengesThat(({ challenges }) => {
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
  'reserves 10 of 40 parallel attempts of one user, then locks the user': readsThenWrites,
  'completes one of 20 challenges with the same time step': readsThenWrites,
  'completes a challenge once under 20 parallel calls': readsThenWrites,
  'ends every session that a challenge creates during revokeAll()': readsThenWrites,
});
