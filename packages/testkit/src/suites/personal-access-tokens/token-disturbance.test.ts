import { expectTokenFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { failingAfterDisturbance } from '../../self-test/failing-after-disturbance.ts';
import { referenceTokens } from '../../self-test/faulty-personal-access-tokens.ts';
import { tokenDisturbance } from './token-disturbance.ts';

const faulty = {
  'fails after a disturbance': failingAfterDisturbance((clock) => ({
    personalAccessTokens: referenceTokens(clock),
  })),
};

expectTokenFaultsNoticed(tokenDisturbance, {
  'returns the same outcomes for tokens with a disturbance before each call': faulty,
  'keeps maxPerUser under 100 parallel creations during a disturbance': faulty,
});
