import assert from 'node:assert/strict';
import { webhookSuite } from '../../fixtures/webhook-fixture.ts';

export const webhookAtRest = webhookSuite(
  { name: 'webhooks: secrets at rest', needs: 'dump' },
  {
    'keeps no secret of a removed webhook, even with attempts in flight': async (t) => {
      const ref = await t.registerWithMessages(3);
      await t.claimOnce({ limit: 1 });
      await t.webhooks.remove(ref);
      assert.ok(!(await t.dump()).includes('encrypted secret of w1'));
    },
  },
);
