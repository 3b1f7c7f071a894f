import { memoryStorage } from '@latchhook/core';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { failingAfterDisturbance } from '../../self-test/failing-after-disturbance.ts';
import { methodsOfChallenges, methodsOfSessions } from '../../self-test/faulty-storage.ts';
import { loginDisturbance } from './login-disturbance.ts';

const faulty = {
  'fails after a disturbance': failingAfterDisturbance((clock) => {
    const { name, sessions, challenges } = memoryStorage({ clock });
    return {
      name,
      sessions: methodsOfSessions(sessions),
      challenges: methodsOfChallenges(challenges),
    };
  }),
};

expectLoginFaultsNoticed(loginDisturbance, {
  'returns the same outcomes for a session with a disturbance before each call': faulty,
  'returns the same outcomes for a challenge with a disturbance before each call': faulty,
  'rotates once under 100 parallel calls during a disturbance': faulty,
});
