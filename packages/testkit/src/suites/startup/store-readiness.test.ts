import { tryStartup } from '../../fixtures/startup-fixture.ts';
import { expectFaultsNoticed, Outage } from '../../self-test/expect-faults-noticed.ts';
import { startupThat } from '../../self-test/faulty-startup.ts';
import { storeReadiness } from './store-readiness.ts';

expectFaultsNoticed(
  storeReadiness,
  {
    'answers pings, also many at once': {
      'takes one at a time': startupThat(() => {
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
    'finds nothing wrong with itself, whatever of it is used': {
      'misses what it does not need': startupThat(() => ({
        findings: async (parts) =>
          parts.includes('webhooks')
            ? []
            : [{ code: 'storage_not_migrated', message: 'there are no webhooks' }],
      })),
      'misses what it needs': startupThat(() => ({
        findings: async (parts) =>
          parts.includes('webhooks')
            ? [{ code: 'storage_not_migrated', message: 'there are no webhooks' }]
            : [],
      })),
    },
  },
  startupThat(() => ({})),
  tryStartup,
);
