import assert from 'node:assert/strict';
import type { Suite } from '../../suite.ts';
import type { StartupTrial } from '../../trials/startup-trial.ts';

export const storeReadiness: Suite<StartupTrial> = {
  name: 'startup: a store that is ready',
  claims: {
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
