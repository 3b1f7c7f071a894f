import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import {
  readThenWriteWebhooks,
  webhooksOfEachConnection,
} from '../../self-test/faulty-webhooks.ts';
import { deliveryRaces } from './delivery-races.ts';

const brokenStores = {
  'reads, then writes': readThenWriteWebhooks,
  'keeps to itself what it has': webhooksOfEachConnection,
};

expectWebhookFaultsNoticed(
  deliveryRaces,
  Object.fromEntries(Object.keys(deliveryRaces.cases).map((claim) => [claim, brokenStores])),
);
