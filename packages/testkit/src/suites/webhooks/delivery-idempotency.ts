import assert from 'node:assert/strict';
import { makeAttempt, start } from '../../actions/make-attempt.ts';
import { publish } from '../../actions/publish.ts';
import { byWebhook, register } from '../../actions/register-webhook.ts';
import {
  ACCOUNT_ID,
  deliveryTo,
  newMessage,
  newWebhook,
  POLICY,
  retryAfter,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

export const deliveryIdempotency: Suite<WebhookTrial> = {
  name: 'deliveries: idempotent publishing',
  claims: {
    'publishes once under one idempotency key, for idempotencyMs': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const keyed = { idempotencyKey: 'order 17: "paid"' };
      const { scheduled } = await publish(deliveries, 'm1', keyed);
      clock.advance(POLICY.idempotencyMs - 1);
      const again = await deliveries.publish(newMessage('m2', keyed));
      assert.deepEqual(
        { ...again, scheduled: [] },
        { outcome: 'duplicate', messageId: 'm1', deliveries: 1, scheduled: [] },
      );
      assert.equal(scheduled.length, 1);
      assert.equal(await deliveries.find(deliveryTo(ref, 'm2')), null);
      assert.equal(await deliveries.countPending(), 1);
      clock.advance(2);
      await publish(deliveries, 'm3', keyed);
    },

    'keeps the idempotency keys of accounts apart': async ({ deliveries }) => {
      const keyed = { idempotencyKey: 'order 17' };
      await publish(deliveries, 'm1', keyed);
      await publish(deliveries, 'm2', { ...keyed, accountId: ACCOUNT_ID + 1 });
    },

    'publishes a message id once': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      await publish(deliveries, 'm1', { body: 'the first' });
      await register(webhooks, 'w2');
      const again = await deliveries.publish(newMessage('m1', { body: 'the second' }));
      assert.equal(again.outcome, 'duplicate');
      assert.equal(again.outcome === 'duplicate' && again.deliveries, 1);
      assert.equal((await start(deliveries, deliveryTo(ref, 'm1'))).body, 'the first');
      assert.equal(await deliveries.find(deliveryTo(newWebhook('w2'), 'm1')), null);
    },

    'returns the deliveries that never started to a repeated publish': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      for (const id of ['w1', 'w2', 'w3', 'w4']) await register(webhooks, id);
      const keyed = { idempotencyKey: 'order 17' };
      const first = await publish(deliveries, 'm1', keyed);
      await start(deliveries, deliveryTo(newWebhook('w2'), 'm1'));
      await makeAttempt(deliveries, deliveryTo(newWebhook('w3'), 'm1'), retryAfter(1));
      const never = byWebhook(first.scheduled).filter(({ webhookId }) =>
        ['w1', 'w4'].includes(webhookId),
      );
      clock.advance(1000);
      for (const id of ['m1', 'm2']) {
        const again = await deliveries.publish(newMessage(id, keyed));
        assert.equal(again.outcome, 'duplicate');
        if ('scheduled' in again) assert.deepEqual(byWebhook(again.scheduled), never);
      }
    },
  },
};
