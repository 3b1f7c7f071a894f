import { expectWebhookFaultsNoticed, inEveryCase } from '../../self-test/expect-suite-faults.ts';
import { faultyResults } from '../../self-test/faulty-storage.ts';
import { nonAtomic, unshared } from '../../self-test/reference.ts';
import { deliveryRaces } from './delivery-races.ts';

const faulty = {
  'reads and writes non-atomically': nonAtomic,
  'keeps separate data for each connection': unshared,
};

expectWebhookFaultsNoticed(deliveryRaces, {
  ...inEveryCase(deliveryRaces, faulty),
  'redelivers once under 50 parallel calls': {
    ...faulty,
    'returns due to every request': faultyResults('deliveries', 'redeliver', (result) =>
      result.outcome === 'under_way' ? { outcome: 'due' } : result,
    ),
  },
});
