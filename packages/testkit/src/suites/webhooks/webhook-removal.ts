import assert from 'node:assert/strict';
import { webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { attemptEnd, CLAIM, DELIVERED, EXHAUSTED } from '../../samples/attempt-samples.ts';

export const webhookRemoval = webhookSuite('webhooks: removal', {
  'removes ended deliveries and those in flight, and reports none as poison': async (t) => {
    const ref = await t.register('w1');
    for (const [id, outcome] of [
      ['delivered', DELIVERED],
      ['dead', EXHAUSTED],
    ] as const) {
      await t.publishOne(id);
      await t.complete(await t.claimAll(), outcome);
    }
    await t.publishOne('sending');
    const sending = await t.claimSingle();
    assert.equal(await t.webhooks.remove(ref), true);
    for (const id of ['delivered', 'dead', 'sending']) {
      assert.deepEqual(await t.redeliver(ref, id), { outcome: 'unknown' });
    }
    assert.equal(await t.deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 10 }), null);
    assert.equal(await t.deliveries.list(ref, { limit: 10, after: null }), null);
    assert.deepEqual(await t.deliveries.stats(), { pending: 0, oldestDueAgeMs: 0 });
    t.clock.advance(CLAIM.leaseMs);
    const { attempts, poisoned } = await t.deliveries.claim({ ...CLAIM, maxStalledAttempts: 1 });
    assert.deepEqual([attempts, poisoned], [[], []]);
    assert.deepEqual(await t.completeEnds([attemptEnd(sending, DELIVERED)]), [
      { outcome: 'stale' },
    ]);
  },

  'keeps deliveries of other webhooks on remove()': async (t) => {
    await t.register('w1');
    const removed = await t.register('w2');
    await t.register('w3');
    await t.publishOne('m1');
    await t.webhooks.remove(removed);
    const claimedOf = (await t.claimAll()).map(({ webhookId }) => webhookId);
    assert.deepEqual(claimedOf.toSorted(), ['w1', 'w3']);
    assert.equal((await t.deliveries.stats()).pending, 2);
    assert.equal((await t.publishOne('m2')).deliveries, 2);
  },
});
