import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { readThenWriteWebhooks, unsharedWebhooks } from '../../self-test/faulty-webhooks.ts';
import { deliveryRaces } from './delivery-races.ts';

const faulty = {
  'reads and writes non-atomically': readThenWriteWebhooks,
  'keeps separate data for each connection': unsharedWebhooks,
};

expectWebhookFaultsNoticed(
  deliveryRaces,
  Object.fromEntries(Object.keys(deliveryRaces.cases).map((title) => [title, faulty])),
);
