import assert from 'node:assert/strict';
import type { Outbox } from '@latchhook/core/storage';
import type { HostTransaction } from '../../certify-outbox.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { deliveryIds } from '../../fixtures/webhook-fixture.ts';
import { DELIVERED } from '../../samples/attempt-samples.ts';
import { newMessage } from '../../samples/webhook-samples.ts';
import { suiteOf } from '../../suite.ts';

/** The stores that a test case of the outbox gets, and transactions of the host. */
export interface OutboxFixture extends WebhookFixture {
  readonly begin: () => Promise<HostTransaction>;
}

export const deliveryOutbox = suiteOf<OutboxFixture>('deliveries: publishing within transactions', {
  'publishes a message only when its transaction commits': async (t) => {
    const ref = await t.register('w1');
    const host = await t.begin();
    const published = { outcome: 'published', messageId: 'm1', deliveries: 1 };
    assert.deepEqual(await publishWithin(t, host, newMessage('m1')), published);
    await t.claimNothing();
    await host.commit();
    const attempt = await t.claimSingle();
    assert.deepEqual([attempt.deliveryId, attempt.body], ['m1', newMessage('m1').body]);
    await t.complete([attempt], DELIVERED);
    assert.deepEqual(deliveryIds(await t.list(ref)), ['m1']);
  },

  'publishes nothing of a transaction that is rolled back': async (t) => {
    await t.register('w1');
    const message = newMessage('m1', { idempotencyKey: 'k' });
    const host = await t.begin();
    await publishWithin(t, host, message);
    await host.rollback();
    await t.claimNothing();
    assert.equal((await t.deliveries.publish(message)).outcome, 'published');
  },

  'keeps the order of publishing within and across transactions': async (t) => {
    await t.register('w1');
    const ids = Array.from({ length: 90 }, (_, i) => `m${i}`);
    for (const batch of [ids.slice(0, 45), ids.slice(45)]) {
      const host = await t.begin();
      for (const id of batch) await publishWithin(t, host, newMessage(id));
      await host.commit();
    }
    assert.deepEqual(deliveryIds(await t.claimAll()), ids);
  },

  'publishes once what several open transactions publish by one id or idempotency key': async (
    t,
  ) => {
    for (const host of (await openEqualPublishings(t)).toReversed()) await host.commit();
    const [first, second, ...others] = deliveryIds(await t.claimAll());
    assert.deepEqual([first, second?.slice(0, 1), others], ['m1', 'k', []]);
  },

  'publishes while other transactions that publish the same messages are open': async (t) => {
    const hosts = await openEqualPublishings(t);
    await t.publishOne('n1');
    assert.deepEqual(deliveryIds(await t.claimAll()), ['n1']);
    for (const host of hosts) await host.rollback();
  },

  'returns duplicate or unknown within a transaction too': async (t) => {
    await t.register('w1');
    await t.publishOne('m1', { idempotencyKey: 'k' });
    const host = await t.begin();
    const publish = (...message: Parameters<typeof newMessage>) =>
      publishWithin(t, host, newMessage(...message));
    const first = { outcome: 'duplicate', messageId: 'm1', deliveries: 1 };
    assert.deepEqual(await publish('m1'), first);
    assert.deepEqual(await publish('m2', { idempotencyKey: 'k' }), first);
    assert.deepEqual(await publish('m3', { webhookId: 'w2' }), { outcome: 'unknown' });
    assert.equal((await publish('m4', { webhookId: 'w1' })).outcome, 'published');
    await host.commit();
    assert.deepEqual(deliveryIds(await t.claimAll()).toSorted(), ['m1', 'm4']);
  },

  'rethrows an error of the transaction': async (t) => {
    const thrown = new Error('the connection is gone');
    const broken = { query: () => Promise.reject(thrown) };
    const publishing = publishWithin(t, broken, newMessage('m1'));
    await assert.rejects(publishing, (error) => error === thrown);
  },

  'expires the oldest deliveries beyond maxQueued, and the next claim reports them': async (t) => {
    await t.register('w1', { rateLimit: 1 });
    const host = await t.begin();
    for (const id of ['m1', 'm2', 'm3']) {
      await publishWithin(t, host, newMessage(id, { maxQueued: 2 }));
    }
    await host.commit();
    const { expired, attempts } = await t.claimOnce();
    assert.deepEqual(expired, [{ accountId: 7, webhookId: 'w1', deliveryId: 'm1' }]);
    assert.deepEqual(deliveryIds(attempts), ['m2']);
  },

  'counts committed messages as pending, with their age since the write': async (t) => {
    await t.register('w1');
    const host = await t.begin();
    await publishWithin(t, host, newMessage('m1'));
    assert.equal((await t.deliveries.stats()).pending, 0);
    await host.commit();
    t.clock.advance(40);
    assert.deepEqual(await t.deliveries.stats(), { pending: 1, oldestDueAgeMs: 40 });
  },
});

/** Three open transactions. Each publishes `m1`, and a message of its own with an idempotency key that all share. */
async function openEqualPublishings(t: OutboxFixture): Promise<readonly HostTransaction[]> {
  await t.register('w1');
  const hosts = await Promise.all([t.begin(), t.begin(), t.begin()]);
  for (const [i, host] of hosts.entries()) {
    await publishWithin(t, host, newMessage('m1'));
    await publishWithin(t, host, newMessage(`k${i}`, { idempotencyKey: 'k' }));
  }
  return hosts;
}

function publishWithin(
  { deliveries }: OutboxFixture,
  ...args: Parameters<Outbox['publishWithin']>
) {
  const outbox = deliveries.outbox ?? assert.fail('the storage has no `outbox` to certify');
  return outbox.publishWithin(...args);
}
