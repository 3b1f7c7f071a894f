import assert from 'node:assert/strict';
import { deliver, disable, giveUp, makeAttempt, start } from '../../actions/make-attempt.ts';
import { publish, queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import { DELIVERED, retryAfter, starting } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

export const deliveryPending: Suite<WebhookTrial> = {
  name: 'deliveries: pending',
  claims: {
    'are pending while they are queued, sending or waiting': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const [ref, other] = [await register(webhooks, 'w1'), await register(webhooks, 'w2')];
      assert.equal(await deliveries.countPending(), 0);
      await deliver(deliveries, ref, 'delivered');
      await giveUp(deliveries, ref, 'dead');
      assert.equal(await deliveries.countPending(), 0);
      const delivery = await queue(deliveries, ref);
      await queue(deliveries, other, 'of another webhook');
      assert.equal(await deliveries.countPending(), 2);
      await makeAttempt(deliveries, delivery, retryAfter(10));
      assert.equal(await deliveries.countPending(), 2);
      clock.advance(10);
      const started = await start(deliveries, delivery);
      assert.equal(await deliveries.countPending(), 2);
      await deliveries.finish({
        ...starting(delivery),
        attempt: started.attempt,
        result: { status: 200, durationMs: 1, error: null, response: null },
        verdict: DELIVERED,
        disableAfterMs: 1000,
        pauseMs: 0,
      });
      assert.equal(await deliveries.countPending(), 1);
    },

    'are not pending while they are held, and are pending again when they are released': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      await disable(deliveries, ref);
      await queue(deliveries, ref);
      assert.equal(await deliveries.countPending(), 0);
      await webhooks.enable(ref);
      await deliveries.release(ref, { limit: 1 });
      assert.equal(await deliveries.countPending(), 1);
    },

    'are not pending once they are forgotten': async ({ webhooks, deliveries, clock }) => {
      await register(webhooks, 'w1');
      await publish(deliveries, 'm1', { retentionMs: 1000 });
      await publish(deliveries, 'm2');
      clock.advance(1000);
      assert.equal(await deliveries.countPending(), 1);
    },

    'are pending again when they are sent again': async ({ webhooks, deliveries }) => {
      const delivery = await deliver(deliveries, await register(webhooks, 'w1'), 'm1');
      await deliveries.resend(delivery);
      assert.equal(await deliveries.countPending(), 1);
    },
  },
};
