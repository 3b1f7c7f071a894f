import assert from 'node:assert/strict';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import type { Suite } from '../../suite.ts';

export const webhookAtRest: Suite<WebhookFixture> = {
  name: 'webhooks: secrets at rest',
  needs: 'dump',
  cases: {
    'keeps no secret of a removed webhook, even with attempts in flight': async (t) => {
      const ref = await t.register('w1');
      await t.publishAll(3);
      await t.claimOnce({ limit: 1 });
      await t.webhooks.remove(ref);
      assert.ok(!(await t.dump()).includes('encrypted secret of w1'));
    },
  },
};
