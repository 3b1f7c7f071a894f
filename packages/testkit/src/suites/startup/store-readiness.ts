import assert from 'node:assert/strict';
import { startupSuite } from '../../fixtures/startup-fixture.ts';

export const storeReadiness = startupSuite('startup: readiness', {
  'resolves 64 parallel pings': async ({ startup }) => {
    await Promise.all(Array.from({ length: 64 }, () => startup.ping()));
  },

  'returns no findings for some or all parts of the storage': async ({ startup }) => {
    assert.deepEqual(await startup.findings(['sessions', 'challenges', 'limiters']), []);
    const otherParts = ['webhooks', 'deliveries', 'personalAccessTokens', 'mfa'] as const;
    assert.deepEqual(await startup.findings(['sessions', 'challenges', ...otherParts]), []);
  },
});
