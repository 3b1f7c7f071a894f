import assert from 'node:assert/strict';
import type { StartupFixture } from '../../fixtures/startup-fixture.ts';
import type { Suite } from '../../suite.ts';

export const storeReadiness: Suite<StartupFixture> = {
  name: 'startup: a store that is ready',
  cases: {
    'answers pings, also many at once': async ({ startup }) => {
      await Promise.all(Array.from({ length: 64 }, () => startup.ping()));
    },

    'finds nothing wrong with itself, whatever of it is used': async ({ startup }) => {
      assert.deepEqual(await startup.findings(['sessions', 'challenges', 'limiters']), []);
      const all = ['webhooks', 'deliveries', 'personalAccessTokens', 'mfa'] as const;
      assert.deepEqual(await startup.findings(['sessions', 'challenges', ...all]), []);
    },
  },
};
