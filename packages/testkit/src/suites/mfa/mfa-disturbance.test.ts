import { expectMfaFaultsNoticed, inEveryCase } from '../../self-test/expect-suite-faults.ts';
import { failsAfterDisturbance } from '../../self-test/fails-after-disturbance.ts';
import { mfaDisturbance } from './mfa-disturbance.ts';

expectMfaFaultsNoticed(
  mfaDisturbance,
  inEveryCase(mfaDisturbance, { 'fails after a disturbance': failsAfterDisturbance }),
);
