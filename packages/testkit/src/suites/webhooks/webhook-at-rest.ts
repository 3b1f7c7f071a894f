import assert from 'node:assert/strict';
import { claimOnce, publishAll } from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import type { Suite } from '../../suite.ts';

export const webhookAtRest: Suite<WebhookFixture> = {
  name: 'webhooks: secrets at rest',
  needs: 'dump',
  cases: {
    'keeps no secret of a removed webhook, even with attempts in flight': async ({
      webhooks,
      deliveries,
      dump,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 3);
      await claimOnce(deliveries, { limit: 1 });
      await webhooks.remove(ref);
      assert.ok(!(await dump()).includes('encrypted secret of w1'));
    },
  },
};
