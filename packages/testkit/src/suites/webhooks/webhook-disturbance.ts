import assert from 'node:assert/strict';
import { tally } from '../../actions/outcomes.ts';
import { deliveryIds, webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { CLAIM, DELIVERED, EXHAUSTED, GONE, retryIn } from '../../samples/attempt-samples.ts';
import { ACCOUNT_ID, deliveryTo, newMessage } from '../../samples/webhook-samples.ts';
import { disturbancesOf } from '../../suite.ts';

export const webhookDisturbance = webhookSuite(disturbancesOf('webhooks'), {
  'returns the same outcomes for a webhook with a disturbance before each call': async ({
    disturbed: t,
  }) => {
    const ref = await t.register('w1');
    await t.webhooks.change(ref, { rateLimit: 7 });
    const rotated = await t.webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: 10_000 });
    assert.deepEqual(await t.webhooks.enable(ref), {
      outcome: 'already_enabled',
      webhook: rotated,
    });
    assert.deepEqual(await t.webhooks.find(ref), rotated);
    assert.deepEqual(await t.webhooks.list(ACCOUNT_ID, { limit: 1, after: null }), [rotated]);
    assert.equal(await t.webhooks.remove(ref), true);
  },

  'returns the same outcomes for a delivery with a disturbance before each call': async ({
    disturbed: t,
  }) => {
    const ref = await t.register('w1');
    const delivery = deliveryTo(ref, 'm1');
    await t.publishOne('m1');
    const attempt = await t.claimSingle();
    assert.equal((await t.complete([attempt], GONE)).disabled, 'gone');
    assert.deepEqual(await t.deliveries.redeliver(delivery), { outcome: 'due' });
    await t.webhooks.enable(ref);
    await t.complete([await t.claimSingle()], EXHAUSTED);
    const batch = await t.deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 1 });
    assert.deepEqual(batch, { count: 1, more: false });
    await t.complete([await t.claimSingle()], retryIn(0));
    assert.equal((await t.onlyDelivery(ref)).attempts.length, 3);
    assert.equal((await t.deliveries.stats()).pending, 1);
    await t.complete([await t.claimSingle()], DELIVERED);
  },

  'publishes and claims a message once under parallel calls during a disturbance': async (t) => {
    await t.register('w1');
    const results = await t.inParallelDisturbed(({ deliveries }) =>
      deliveries.publish(newMessage('m1')),
    );
    assert.deepEqual(tally(results), { published: 1, duplicate: 99 });
    const claims = await t.inParallelDisturbed(({ deliveries }) => deliveries.claim(CLAIM));
    assert.deepEqual(deliveryIds(claims.flatMap(({ attempts }) => attempts)), ['m1']);
    assert.equal((await t.deliveries.stats()).pending, 1);
  },
});
