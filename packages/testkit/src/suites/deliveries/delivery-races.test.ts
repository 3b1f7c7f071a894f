import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import {
  readThenWriteWebhooks,
  webhooksOfEachConnection,
} from '../../self-test/faulty-webhooks.ts';
import { deliveryRaces } from './delivery-races.ts';

const brokenStores = {
  'reads and writes non-atomically': readThenWriteWebhooks,
  'keeps separate data for each connection': webhooksOfEachConnection,
};

expectWebhookFaultsNoticed(
  deliveryRaces,
  Object.fromEntries(Object.keys(deliveryRaces.cases).map((claim) => [claim, brokenStores])),
);
