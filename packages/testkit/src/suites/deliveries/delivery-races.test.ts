import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  faultyDeliveries,
  readThenWriteWebhooks,
  unsharedWebhooks,
} from '../../self-test/faulty-webhooks.ts';
import { deliveryRaces } from './delivery-races.ts';

const faulty = {
  'reads and writes non-atomically': readThenWriteWebhooks,
  'keeps separate data for each connection': unsharedWebhooks,
};

expectWebhookFaultsNoticed(deliveryRaces, {
  ...Object.fromEntries(Object.keys(deliveryRaces.cases).map((title) => [title, faulty])),
  'redelivers once under 50 parallel calls': {
    ...faulty,
    'returns due to every request': faultyDeliveries(({ deliveries }) => ({
      redeliver: async (ref) => {
        const result = await deliveries.redeliver(ref);
        return result.outcome === 'under_way' ? { outcome: 'due' } : result;
      },
    })),
  },
});
