import { memoryStorage } from '@latchhook/core';
import { Outage } from '../../self-test/expect-faults-noticed.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { methodsOfChallenges, methodsOfSessions } from '../../self-test/faulty-storage.ts';
import type { StorageHarness } from '../../storage-harness.ts';
import { loginDisturbance } from './login-disturbance.ts';

/** Behaves as a client that calls scripts only by their hashes, and cannot handle `NOSCRIPT`. */
const givesUp: StorageHarness = {
  open: async ({ clock }) => {
    const storage = memoryStorage({ clock });
    let isDisturbed = false;
    const orGiveUp = <Methods extends object>(methods: Methods): Methods =>
      new Proxy(methods, {
        get: (target, name) => {
          if (isDisturbed) throw new Outage('NOSCRIPT');
          return Reflect.get(target, name);
        },
      });
    return {
      connect: async () => ({
        ...storage,
        sessions: orGiveUp(methodsOfSessions(storage.sessions)),
        challenges: orGiveUp(methodsOfChallenges(storage.challenges)),
      }),
      disturb: async () => {
        isDisturbed = true;
      },
      close: async () => {},
    };
  },
};

const brokenStore = { 'fails after a disturbance': givesUp };

expectLoginFaultsNoticed(loginDisturbance, {
  'returns the same outcomes for a session with a disturbance before each call': brokenStore,
  'returns the same outcomes for a challenge with a disturbance before each call': brokenStore,
  'rotates once under 100 parallel calls during a disturbance': brokenStore,
});
