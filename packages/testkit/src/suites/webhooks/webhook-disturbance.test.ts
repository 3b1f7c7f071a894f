import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { failingAfterDisturbance } from '../../self-test/failing-after-disturbance.ts';
import { referenceStores } from '../../self-test/faulty-webhooks.ts';
import { webhookDisturbance } from './webhook-disturbance.ts';

const faulty = {
  'fails after a disturbance': failingAfterDisturbance((clock) => {
    const { webhooks, deliveries } = referenceStores(clock);
    return { webhooks, deliveries };
  }),
};

expectWebhookFaultsNoticed(webhookDisturbance, {
  'returns the same outcomes for a webhook with a disturbance before each call': faulty,
  'returns the same outcomes for a delivery with a disturbance before each call': faulty,
  'publishes and claims a message once under parallel calls during a disturbance': faulty,
});
