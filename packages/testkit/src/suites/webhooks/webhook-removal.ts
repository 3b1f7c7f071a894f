import assert from 'node:assert/strict';
import {
  attemptEnd,
  CLAIM,
  COMPLETE,
  claimAll,
  claimSingle,
  completeAttempts,
  DELIVERED,
  EXHAUSTED,
  publishOne,
} from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { deliveryTo } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

export const webhookRemoval: Suite<WebhookFixture> = {
  name: 'webhooks: removal',
  cases: {
    'removes ended deliveries and deliveries in flight without reporting a lost lease': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (const [id, outcome] of [
        ['delivered', DELIVERED],
        ['dead', EXHAUSTED],
      ] as const) {
        await publishOne(deliveries, id);
        await completeAttempts(deliveries, await claimAll(deliveries), outcome);
      }
      await publishOne(deliveries, 'sending');
      const sending = await claimSingle(deliveries);
      assert.equal(await webhooks.remove(ref), true);
      for (const id of ['delivered', 'dead', 'sending']) {
        assert.deepEqual(await deliveries.redeliver(deliveryTo(ref, id)), { outcome: 'unknown' });
      }
      assert.equal(await deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 10 }), null);
      assert.equal(await deliveries.list(ref, { limit: 10, after: null }), null);
      assert.deepEqual(await deliveries.stats(), { pending: 0, oldestDueAgeMs: 0 });
      clock.advance(CLAIM.leaseMs);
      const { attempts, poisoned } = await deliveries.claim({ ...CLAIM, maxStalledAttempts: 1 });
      assert.deepEqual([attempts, poisoned], [[], []]);
      assert.deepEqual(await deliveries.complete([attemptEnd(sending, DELIVERED)], COMPLETE), [
        { outcome: 'stale' },
      ]);
    },

    'keeps deliveries of other webhooks on remove()': async ({ webhooks, deliveries }) => {
      await register(webhooks, 'w1');
      const removed = await register(webhooks, 'w2');
      await register(webhooks, 'w3');
      await publishOne(deliveries, 'm1');
      await webhooks.remove(removed);
      const claimedOf = (await claimAll(deliveries)).map(({ webhookId }) => webhookId);
      assert.deepEqual(claimedOf.toSorted(), ['w1', 'w3']);
      assert.equal((await deliveries.stats()).pending, 2);
      assert.equal((await publishOne(deliveries, 'm2')).deliveries, 2);
    },
  },
};
