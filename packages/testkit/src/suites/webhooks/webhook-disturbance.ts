import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { tally } from '../../actions/outcomes.ts';
import { deliveryIds } from '../../fixtures/webhook-connection.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { CLAIM, DELIVERED, EXHAUSTED, GONE, retryIn } from '../../samples/attempt-samples.ts';
import { ACCOUNT_ID, deliveryTo, newMessage } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

/** A disturbance, such as a lost script cache or connection, changes no result. */
export const webhookDisturbance: Suite<WebhookFixture> = {
  name: 'webhooks: disturbances that lose no data',
  needs: 'disturb',
  cases: {
    'returns the same outcomes for a webhook with a disturbance before each call': async (t) => {
      const ref = await t.register('w1');
      await t.disturb();
      await t.webhooks.change(ref, { rateLimit: 7 });
      await t.disturb();
      const rotated = await t.webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: 10_000 });
      await t.disturb();
      assert.deepEqual(await t.webhooks.enable(ref), { outcome: 'was_enabled', webhook: rotated });
      await t.disturb();
      assert.deepEqual(await t.webhooks.find(ref), rotated);
      await t.disturb();
      assert.deepEqual(await t.webhooks.list(ACCOUNT_ID, { limit: 1, after: null }), [rotated]);
      await t.disturb();
      assert.equal(await t.webhooks.remove(ref), true);
    },

    'returns the same outcomes for a delivery with a disturbance before each call': async (t) => {
      const ref = await t.register('w1');
      const delivery = deliveryTo(ref, 'm1');
      await t.disturb();
      await t.publishOne('m1');
      await t.disturb();
      const attempt = await t.claimSingle();
      await t.disturb();
      assert.equal((await t.complete([attempt], GONE)).disabled, 'gone');
      await t.disturb();
      assert.deepEqual(await t.deliveries.redeliver(delivery), { outcome: 'due' });
      await t.webhooks.enable(ref);
      await t.complete([await t.claimSingle()], EXHAUSTED);
      await t.disturb();
      const batch = await t.deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 1 });
      assert.deepEqual(batch, { count: 1, more: false });
      await t.disturb();
      await t.complete([await t.claimSingle()], retryIn(0));
      await t.disturb();
      assert.equal((await t.onlyDelivery(ref)).attempts.length, 3);
      await t.disturb();
      assert.equal((await t.deliveries.stats()).pending, 1);
      await t.complete([await t.claimSingle()], DELIVERED);
    },

    'publishes and claims a message once under parallel calls during a disturbance': async (t) => {
      await t.register('w1');
      const processes = await t.connections(8);
      const publishMany = () =>
        inParallel(50, processes, (storage) => storage.deliveries.publish(newMessage('m1')));
      const [before, , after] = await Promise.all([publishMany(), t.disturb(), publishMany()]);
      assert.deepEqual(tally([...before, ...after]), { published: 1, duplicate: 99 });
      const claimMany = () =>
        inParallel(50, processes, (storage) => storage.deliveries.claim(CLAIM));
      const [early, , late] = await Promise.all([claimMany(), t.disturb(), claimMany()]);
      assert.deepEqual(deliveryIds([...early, ...late].flatMap(({ attempts }) => attempts)), [
        'm1',
      ]);
      assert.equal((await t.deliveries.stats()).pending, 1);
    },
  },
};
