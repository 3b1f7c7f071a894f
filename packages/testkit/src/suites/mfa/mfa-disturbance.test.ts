import { expectMfaFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { failingAfterDisturbance } from '../../self-test/failing-after-disturbance.ts';
import { referenceMfa } from '../../self-test/faulty-mfa.ts';
import { mfaDisturbance } from './mfa-disturbance.ts';

const faulty = {
  'fails after a disturbance': failingAfterDisturbance((clock) => ({ mfa: referenceMfa(clock) })),
};

expectMfaFaultsNoticed(mfaDisturbance, {
  'returns the same outcomes for a factor with a disturbance before each call': faulty,
  'confirms once under 100 parallel calls during a disturbance': faulty,
});
