import { expectLoginFaultsNoticed, inEveryCase } from '../../self-test/expect-suite-faults.ts';
import { failsAfterDisturbance } from '../../self-test/fails-after-disturbance.ts';
import { loginDisturbance } from './login-disturbance.ts';

expectLoginFaultsNoticed(
  loginDisturbance,
  inEveryCase(loginDisturbance, { 'fails after a disturbance': failsAfterDisturbance }),
);
