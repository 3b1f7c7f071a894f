import { Outage } from '../../self-test/expect-faults-noticed.ts';
import { expectStartupFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyStartup } from '../../self-test/faulty-startup.ts';
import { storeReadiness } from './store-readiness.ts';

expectStartupFaultsNoticed(storeReadiness, {
  'resolves 64 parallel pings': {
    'rejects parallel pings': faultyStartup(() => {
      let isBusy = false;
      return {
        ping: async () => {
          if (isBusy) throw new Outage('busy');
          isBusy = true;
          await Promise.resolve();
          isBusy = false;
        },
      };
    }),
  },
  'returns no findings for some or all parts of the storage': {
    'returns a finding about a part that is not used': faultyStartup(() => ({
      findings: async (parts) =>
        parts.includes('webhooks')
          ? []
          : [{ code: 'storage_not_migrated', message: 'there are no webhooks' }],
    })),
    'returns a finding about a part that is used': faultyStartup(() => ({
      findings: async (parts) =>
        parts.includes('webhooks')
          ? [{ code: 'storage_not_migrated', message: 'there are no webhooks' }]
          : [],
    })),
  },
});
