import assert from 'node:assert/strict';
import {
  CLAIM,
  claimSingle,
  completeAttempts,
  DELIVERED,
  deliveryIds,
  EXHAUSTED,
  GONE,
  onlyDelivery,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { tally } from '../../actions/outcomes.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { ACCOUNT_ID, deliveryTo, newMessage } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

/** A disturbance, such as a lost script cache or connection, changes no result. */
export const webhookDisturbance: Suite<WebhookFixture> = {
  name: 'webhooks: disturbances that lose no data',
  needs: 'disturb',
  cases: {
    'returns the same outcomes for a webhook with a disturbance before each call': async ({
      webhooks,
      disturb,
    }) => {
      const ref = await register(webhooks, 'w1');
      await disturb();
      await webhooks.change(ref, { rateLimit: 7 });
      await disturb();
      const rotated = await webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: 10_000 });
      await disturb();
      assert.deepEqual(await webhooks.enable(ref), { outcome: 'was_enabled', webhook: rotated });
      await disturb();
      assert.deepEqual(await webhooks.find(ref), rotated);
      await disturb();
      assert.deepEqual(await webhooks.list(ACCOUNT_ID, { limit: 1, after: null }), [rotated]);
      await disturb();
      assert.equal(await webhooks.remove(ref), true);
    },

    'returns the same outcomes for a delivery with a disturbance before each call': async ({
      webhooks,
      deliveries,
      disturb,
    }) => {
      const ref = await register(webhooks, 'w1');
      const delivery = deliveryTo(ref, 'm1');
      await disturb();
      await publishOne(deliveries, 'm1');
      await disturb();
      const attempt = await claimSingle(deliveries);
      await disturb();
      assert.equal((await completeAttempts(deliveries, [attempt], GONE)).disabled, 'gone');
      await disturb();
      assert.deepEqual(await deliveries.redeliver(delivery), { outcome: 'due' });
      await webhooks.enable(ref);
      await completeAttempts(deliveries, [await claimSingle(deliveries)], EXHAUSTED);
      await disturb();
      const batch = await deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 1 });
      assert.deepEqual(batch, { count: 1, more: false });
      await disturb();
      await completeAttempts(deliveries, [await claimSingle(deliveries)], retryIn(0));
      await disturb();
      assert.equal((await onlyDelivery(deliveries, ref)).attempts.length, 3);
      await disturb();
      assert.equal((await deliveries.stats()).pending, 1);
      await completeAttempts(deliveries, [await claimSingle(deliveries)], DELIVERED);
    },

    'publishes and claims a message once under parallel calls during a disturbance': async ({
      webhooks,
      deliveries,
      connections,
      disturb,
    }) => {
      await register(webhooks, 'w1');
      const processes = await connections(8);
      const publishMany = () =>
        inParallel(50, processes, (storage) => storage.deliveries.publish(newMessage('m1')));
      const [before, , after] = await Promise.all([publishMany(), disturb(), publishMany()]);
      assert.deepEqual(tally([...before, ...after]), { published: 1, duplicate: 99 });
      const claimMany = () =>
        inParallel(50, processes, (storage) => storage.deliveries.claim(CLAIM));
      const [early, , late] = await Promise.all([claimMany(), disturb(), claimMany()]);
      assert.deepEqual(deliveryIds([...early, ...late].flatMap(({ attempts }) => attempts)), [
        'm1',
      ]);
      assert.equal((await deliveries.stats()).pending, 1);
    },
  },
};
