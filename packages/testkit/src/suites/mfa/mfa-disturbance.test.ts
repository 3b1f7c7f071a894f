import type { MfaHarness } from '../../fixtures/mfa-fixture.ts';
import { Outage } from '../../self-test/expect-faults-noticed.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-mfa-faults-noticed.ts';
import { soundMfa } from '../../self-test/faulty-mfa.ts';
import { mfaDisturbance } from './mfa-disturbance.ts';

/** Behaves as a client that calls scripts only by their hashes, and cannot handle `NOSCRIPT`. */
const givesUp: MfaHarness = {
  open: async ({ clock }) => {
    let isDisturbed = false;
    const mfa = new Proxy(soundMfa(clock), {
      get: (target, name) => {
        if (isDisturbed) throw new Outage('NOSCRIPT');
        return Reflect.get(target, name);
      },
    });
    return {
      connect: async () => ({ mfa }),
      disturb: async () => {
        isDisturbed = true;
      },
      close: async () => {},
    };
  },
};

const brokenStore = { 'fails after a disturbance': givesUp };

expectMfaFaultsNoticed(mfaDisturbance, {
  'returns the same outcomes for a factor with a disturbance before each call': brokenStore,
  'confirms once under 100 parallel calls during a disturbance': brokenStore,
});
