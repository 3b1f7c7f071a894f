import type { PersonalAccessTokenHarness } from '../../fixtures/personal-access-token-fixture.ts';
import { Outage } from '../../self-test/expect-faults-noticed.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-token-faults-noticed.ts';
import { soundTokens } from '../../self-test/faulty-personal-access-tokens.ts';
import { tokenDisturbance } from './token-disturbance.ts';

/** Behaves as a client that calls scripts only by their hashes, and cannot handle `NOSCRIPT`. */
const givesUp: PersonalAccessTokenHarness = {
  open: async ({ clock }) => {
    let isDisturbed = false;
    const personalAccessTokens = new Proxy(soundTokens(clock), {
      get: (target, name) => {
        if (isDisturbed) throw new Outage('NOSCRIPT');
        return Reflect.get(target, name);
      },
    });
    return {
      connect: async () => ({ personalAccessTokens }),
      disturb: async () => {
        isDisturbed = true;
      },
      close: async () => {},
    };
  },
};

const brokenStore = { 'fails after a disturbance': givesUp };

expectTokenFaultsNoticed(tokenDisturbance, {
  'returns the same outcomes for tokens with a disturbance before each call': brokenStore,
  'keeps maxPerUser under 100 parallel creations during a disturbance': brokenStore,
});
