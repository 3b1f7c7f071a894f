import { describe, expect, it } from 'vitest';
import { deliveryTo, LIMITS, newMessage, newWebhook } from '../support/storage/webhook-samples.ts';
import {
  CLAIM,
  COMPLETE,
  claimAll,
  claimOnce,
  completeAll,
  DELIVERED,
  idsOf,
} from './claim-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

describe('the delivery queue on Redis', () => {
  it('completes an empty list of attempts', async () => {
    const { deliveries } = await openWebhookStores();
    expect(await deliveries.complete([], COMPLETE)).toEqual([]);
  });

  it('claims a message whose id contains spaces', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    await deliveries.publish(newMessage('of two words'));
    expect(await claimAll(deliveries)).toHaveLength(1);
    clock.advance(CLAIM.leaseMs);
    expect(await claimAll(deliveries)).toMatchObject([{ deliveryId: 'of two words', attempt: 2 }]);
  });

  it('claims the deliveries of a message to thousands of webhooks', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    const ids = Array.from({ length: 4_500 }, (_, i) => `wh_${i}`);
    // In groups, because all of them together would occupy the Redis of other tests for seconds.
    for (let first = 0; first < ids.length; first += 20) {
      const group = ids.slice(first, first + 20);
      await Promise.all(
        group.map((id) => webhooks.create(newWebhook(id), { maxPerAccount: 10_000 })),
      );
    }
    expect(await deliveries.publish(newMessage('m1'))).toMatchObject({ outcome: 'published' });
    const attempts = await claimAll(deliveries, {
      limit: 10_000,
      maxInFlightPerAccount: 10_000,
    });
    expect(new Set(attempts.map(({ webhookId }) => webhookId))).toEqual(new Set(ids));
  });

  it('backs off if a delivered attempt asks for it', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    await deliveries.publish(newMessage('m1'));
    await completeAll(deliveries, await claimAll(deliveries), DELIVERED, 5_000);
    await deliveries.publish(newMessage('m2'));
    expect(await claimAll(deliveries)).toEqual([]);
    expect(await claimOnce(deliveries)).toMatchObject({ attempts: [], nextInMs: 5_000 });
  });

  it('does not count attempts of a removed webhook as in flight', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    for (const id of ['wh_1', 'wh_2']) await webhooks.create(newWebhook(id), LIMITS);
    await deliveries.publish(newMessage('m1'));
    const caps = { maxInFlightPerAccount: 2 };
    const attempts = await claimAll(deliveries, caps);
    expect(attempts).toHaveLength(2);
    await deliveries.publish(newMessage('m2', { webhookId: 'wh_2' }));
    await webhooks.remove(newWebhook('wh_1'));
    expect(await deliveries.stats()).toMatchObject({ pending: 2 });
    expect(idsOf(await claimAll(deliveries, caps))).toEqual(['m2']);
    expect(await completeAll(deliveries, attempts, DELIVERED)).toMatchObject([
      { outcome: attempts[0]?.webhookId === 'wh_1' ? 'stale' : 'completed' },
      { outcome: attempts[1]?.webhookId === 'wh_1' ? 'stale' : 'completed' },
    ]);
    expect(await deliveries.stats()).toMatchObject({ pending: 1 });
  });

  it('expires queued deliveries alike whether messages are published together or one by one', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    for (const id of ['wh_1', 'wh_2']) await webhooks.create(newWebhook(id), LIMITS);
    const publishTo = (webhookId: string, id: string) =>
      deliveries.publish(newMessage(id, { webhookId, maxQueued: 2 }));
    const ids = ['m1', 'm2', 'm3', 'm4', 'm5'];
    const together = await Promise.all(ids.map((id) => publishTo('wh_1', `${id} together`)));
    for (const [index, id] of ids.entries()) {
      const alone = await publishTo('wh_2', id);
      const expired = index < 2 ? [] : [`m${index - 1}`];
      expect(alone).toMatchObject({ expired: expired.map((one) => deliveryTo('wh_2', one)) });
      expect(together[index]).toMatchObject({
        expired: expired.map((one) => deliveryTo('wh_1', `${one} together`)),
      });
    }
    expect(idsOf(await claimAll(deliveries)).toSorted()).toEqual([
      'm4',
      'm4 together',
      'm5',
      'm5 together',
    ]);
  });

  it('lists an expired delivery as queued after redeliver()', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    const webhook = newWebhook('wh_1');
    await webhooks.create(webhook, LIMITS);
    for (const id of ['m1', 'm2']) await deliveries.publish(newMessage(id, { maxQueued: 1 }));
    await deliveries.redeliver(deliveryTo('wh_1', 'm1'));
    const listed = await deliveries.list(webhook, { limit: 10, after: null });
    expect(listed).toMatchObject([{ state: 'queued' }, { deliveryId: 'm1', state: 'queued' }]);
  });
});
