import { expectTokenFaultsNoticed, inEveryCase } from '../../self-test/expect-suite-faults.ts';
import { failsAfterDisturbance } from '../../self-test/fails-after-disturbance.ts';
import { tokenDisturbance } from './token-disturbance.ts';

expectTokenFaultsNoticed(
  tokenDisturbance,
  inEveryCase(tokenDisturbance, { 'fails after a disturbance': failsAfterDisturbance }),
);
