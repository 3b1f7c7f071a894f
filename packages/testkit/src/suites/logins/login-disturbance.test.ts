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

const brokenStore = { 'gives up when it is disturbed': givesUp };

expectLoginFaultsNoticed(loginDisturbance, {
  'change nothing between the transitions of a session': brokenStore,
  'change nothing between the transitions of a challenge': brokenStore,
  'change nothing in the midst of a race': brokenStore,
});
