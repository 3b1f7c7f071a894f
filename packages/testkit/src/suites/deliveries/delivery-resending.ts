import assert from 'node:assert/strict';
import { deliveryIds, webhookSuite } from '../../fixtures/webhook-fixture.ts';
import {
  CLAIM,
  DELIVERED,
  EXHAUSTED,
  GONE,
  notCounted,
  retryIn,
} from '../../samples/attempt-samples.ts';
import { MINUTE_MS } from '../../samples/login-samples.ts';
import { SECOND_MS } from '../../samples/webhook-samples.ts';

export const deliveryResending = webhookSuite('deliveries: redelivery', {
  'resends an ended or waiting delivery with its log, but without its failures': async (t) => {
    const ref = await t.register('w1');
    for (const outcome of [DELIVERED, EXHAUSTED, retryIn(MINUTE_MS), notCounted(MINUTE_MS)]) {
      const deliveryId = `m-${outcome.kind}`;
      await t.publishOne(deliveryId);
      const first = await t.claimSingle();
      await t.complete([first], outcome);
      t.clock.advance(10);
      assert.deepEqual(await t.redeliver(ref, deliveryId), { outcome: 'due' });
      assert.deepEqual(await t.redeliver(ref, deliveryId), { outcome: 'under_way' });
      const [due] = await t.list(ref, 1);
      const { state, deadReason, nextAttemptAtMs, attempts } = due ?? assert.fail();
      assert.deepEqual([state, deadReason, nextAttemptAtMs], ['waiting', null, t.clock.nowMs()]);
      assert.equal(attempts.length, 1);
      const resent = await t.claimSingle();
      assert.deepEqual([resent.deliveryId, resent.attempt], [deliveryId, 2]);
      assert.deepEqual([resent.failures, resent.notCounted], [0, 0]);
      assert.deepEqual([resent.body, resent.createdAtMs], [first.body, first.createdAtMs]);
      await t.complete([resent], DELIVERED);
      assert.equal((await t.list(ref, 1))[0]?.attempts.length, 2);
    }
  },

  'resends a poison message with its count of expired leases reset': async (t) => {
    const ref = await t.registerWithMessages(1);
    const request = { maxStalledAttempts: 2 };
    for (let round = 0; round < 2; round += 1) {
      for (let expiredLeases = 0; expiredLeases < 2; expiredLeases += 1) {
        await t.claimSingle(request);
        t.clock.advance(CLAIM.leaseMs);
      }
      assert.equal((await t.claimOnce(request)).poisoned.length, 1);
      assert.equal((await t.redeliver(ref, 'm1')).outcome, 'due');
    }
  },

  'resends no delivery that is unattempted, in flight or of another account': async (t) => {
    const ref = await t.register('w1');
    await t.register('w2', { event: 'Contact.Removed' });
    await t.publishOne('m1');
    const redeliver = (change: object) =>
      t.deliveries.redeliver({ ...ref, deliveryId: 'm1', ...change });
    assert.deepEqual(await redeliver({}), { outcome: 'under_way' });
    await t.claimSingle();
    assert.deepEqual(await redeliver({}), { outcome: 'under_way' });
    for (const change of [{ deliveryId: 'm2' }, { webhookId: 'w2' }, { accountId: 8 }]) {
      assert.deepEqual(await redeliver(change), { outcome: 'unknown' });
    }
  },

  'resends deliveries of a disabled webhook once it is enabled': async (t) => {
    const ref = await t.registerWithMessages(1);
    await t.complete(await t.claimAll(), GONE);
    assert.deepEqual(await t.redeliver(ref, 'm1'), { outcome: 'due' });
    await t.claimNothing();
    assert.equal((await t.onlyDelivery(ref)).state, 'held');
    await t.webhooks.enable(ref);
    assert.equal((await t.claimSingle()).deliveryId, 'm1');
  },

  'resends failed deliveries published since a time, the oldest first': async (t) => {
    const ref = await t.register('w1');
    const publishedAtMs: number[] = [];
    for (let i = 1; i <= 6; i += 1) {
      t.clock.advance(10);
      publishedAtMs.push(t.clock.nowMs());
      await t.publishOne(`m${i}`);
    }
    for (const attempt of await t.claimAll()) {
      await t.complete([attempt], attempt.deliveryId === 'm4' ? DELIVERED : EXHAUSTED);
    }
    // `m1` is older, and `m4` was delivered.
    const sinceMs = publishedAtMs[1] ?? 0;
    const batch = await t.deliveries.redeliverFailed(ref, { sinceMs, limit: 3 });
    assert.deepEqual(batch, { count: 3, more: true });
    t.clock.advance(1);
    assert.deepEqual(deliveryIds(await t.claimAll()).toSorted(), ['m2', 'm3', 'm5']);
    const rest = await t.deliveries.redeliverFailed(ref, { sinceMs, limit: 1 });
    assert.deepEqual(rest, { count: 1, more: false });
    t.clock.advance(1);
    assert.deepEqual(deliveryIds(await t.claimAll()), ['m6']);
    const none = await t.deliveries.redeliverFailed(ref, { sinceMs, limit: 3 });
    assert.deepEqual(none, { count: 0, more: false });
  },

  'returns null from redeliverFailed() for an unknown webhook': async (t) => {
    const unknown = { ...(await t.register('w1')), webhookId: 'w2' };
    assert.equal(await t.deliveries.redeliverFailed(unknown, { sinceMs: 0, limit: 3 }), null);
  },

  'resends failed deliveries of every reason': async (t) => {
    const ref = await t.register('w1');
    await t.publishOne('expired');
    // Only one delivery may wait, so the first one expires.
    await t.publishOne('poison', { maxQueued: 1 });
    const { deliveryId } = await t.claimSingle({ leaseMs: SECOND_MS });
    assert.equal(deliveryId, 'poison');
    t.clock.advance(SECOND_MS);
    assert.equal((await t.claimOnce({ maxStalledAttempts: 1 })).poisoned.length, 1);
    await t.publishOne('exhausted');
    await t.complete(await t.claimAll(), EXHAUSTED);
    await t.publishOne('gone');
    await t.complete(await t.claimAll(), GONE);
    const reasons = (await t.list(ref)).map((each) => each.deadReason);
    assert.deepEqual(reasons, ['gone', 'exhausted', 'poison', 'expired']);
    const batch = await t.deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 9 });
    assert.deepEqual(batch, { count: 4, more: false });
    await t.webhooks.enable(ref);
    assert.equal((await t.claimAll()).length, 4);
  },
});
