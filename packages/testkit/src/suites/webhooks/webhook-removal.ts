import assert from 'node:assert/strict';
import { assertState } from '../../actions/delivery-records.ts';
import { giveUp, makeAttempt, start } from '../../actions/make-attempt.ts';
import { publish, queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import {
  DELIVERED,
  deliveryTo,
  finishing,
  newMessage,
  retryAfter,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

export const webhookRemoval: Suite<WebhookTrial> = {
  name: 'webhooks: removal',
  claims: {
    'removes all deliveries, and none starts from then on': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const queued = await queue(deliveries, ref, 'm1');
      const waiting = await queue(deliveries, ref, 'm2');
      await makeAttempt(deliveries, waiting, retryAfter(10));
      const dead = await giveUp(deliveries, ref, 'm3');
      const sending = await queue(deliveries, ref, 'm4');
      await start(deliveries, sending, { leaseMs: 1000 });
      assert.equal(await webhooks.remove(ref), true);
      clock.advance(1000);
      for (const delivery of [queued, waiting, dead, sending]) {
        assert.deepEqual(await deliveries.start(starting(delivery)), { outcome: 'over' });
        assert.deepEqual(await deliveries.resend(delivery), { outcome: 'unknown' });
        assert.equal(await deliveries.find(delivery), null);
      }
      assert.equal(await deliveries.list(ref, { limit: 10, after: null }), null);
      assert.equal(await deliveries.recover(ref, { sinceMs: 0, limit: 10 }), null);
      assert.equal(await deliveries.countPending(), 0);
      clock.advance(1000);
      assert.deepEqual(await deliveries.overdue({ graceMs: 0, limit: 10, putOffMs: 0 }), []);
    },

    'leaves an attempt in flight nothing to end': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      const delivery = await queue(deliveries, ref);
      const { attempt: number } = await start(deliveries, delivery);
      await webhooks.remove(ref);
      const late = finishing(delivery, number, DELIVERED);
      assert.deepEqual(await deliveries.finish(late), { outcome: 'stale' });
      assert.equal(await deliveries.find(delivery), null);
    },

    'ends deliveries of that webhook only': async ({ webhooks, deliveries }) => {
      const [before, removed, after] = [
        await register(webhooks, 'w1'),
        await register(webhooks, 'w2'),
        await register(webhooks, 'w3'),
      ];
      await publish(deliveries, 'm1');
      await webhooks.remove(removed);
      for (const kept of [before, after]) {
        await assertState(deliveries, deliveryTo(kept, 'm1'), 'queued');
        await start(deliveries, deliveryTo(kept, 'm1'));
      }
      assert.equal(await deliveries.countPending(), 2);
      const { deliveries: count } = await publish(deliveries, 'm2');
      assert.equal(count, 2);
    },

    'leaves nothing for a repeated publish': async ({ webhooks, deliveries }) => {
      const [removed] = [await register(webhooks, 'w1'), await register(webhooks, 'w2')];
      await publish(deliveries, 'm1', { idempotencyKey: 'order 17' });
      await webhooks.remove(removed);
      const again = await deliveries.publish(newMessage('m2', { idempotencyKey: 'order 17' }));
      assert.equal(again.outcome, 'duplicate');
      assert.deepEqual('scheduled' in again && again.scheduled.map(({ webhookId }) => webhookId), [
        'w2',
      ]);
    },
  },
};
