import { expectWebhookFaultsNoticed, inEveryCase } from '../../self-test/expect-suite-faults.ts';
import { failsAfterDisturbance } from '../../self-test/fails-after-disturbance.ts';
import { webhookDisturbance } from './webhook-disturbance.ts';

expectWebhookFaultsNoticed(
  webhookDisturbance,
  inEveryCase(webhookDisturbance, { 'fails after a disturbance': failsAfterDisturbance }),
);
