import { describe, expect, it } from 'vitest';
import {
  DELIVERED,
  deliveryTo,
  finishing,
  LIMITS,
  newMessage,
  newWebhook,
  starting,
} from '../support/storage/webhook-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

describe('a lost delivery behind others', () => {
  it('is found behind more forgotten deliveries than are asked for', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    for (let nth = 0; nth < 12; nth += 1) {
      await deliveries.publish(newMessage(`forgotten-${nth}`, { retentionMs: 1000 }));
    }
    clock.advance(1);
    for (const id of ['m1', 'm2', 'm3', 'm4']) await deliveries.publish(newMessage(id));
    clock.advance(1000);
    const found = await deliveries.overdue({ graceMs: 0, limit: 3, putOffMs: 0 });
    expect(found.map(({ deliveryId }) => deliveryId)).toEqual(['m1', 'm2', 'm3']);
  });

  it('is returned together with those behind forgotten ones', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    for (const id of ['m1', 'forgotten', 'm2', 'm3', 'm4']) {
      const change = id === 'forgotten' ? { retentionMs: 1000 } : {};
      await deliveries.publish(newMessage(id, change));
      clock.advance(1);
    }
    clock.advance(1000);
    const found = await deliveries.overdue({ graceMs: 0, limit: 3, putOffMs: 1000 });
    expect(found.map(({ deliveryId }) => deliveryId)).toEqual(['m1', 'm2', 'm3']);
  });

  it('is found behind more webhooks without a lost delivery than are asked for', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    for (let nth = 0; nth < 10; nth += 1) {
      const webhookId = `wh_${nth}`;
      await webhooks.create(newWebhook(webhookId), LIMITS);
      await deliveries.publish(newMessage(`m${nth}`, { webhookId }));
      await deliveries.start(starting(deliveryTo(webhookId, `m${nth}`)));
      await deliveries.finish(finishing(deliveryTo(webhookId, `m${nth}`), 1, DELIVERED));
    }
    clock.advance(1);
    await webhooks.create(newWebhook('wh_lost'), LIMITS);
    await deliveries.publish(newMessage('lost', { webhookId: 'wh_lost' }));
    clock.advance(1);
    const found = await deliveries.overdue({ graceMs: 0, limit: 3, putOffMs: 0 });
    expect(found.map(({ deliveryId }) => deliveryId)).toEqual(['lost']);
  });

  it('is returned longest lost first, even if webhooks before its own have others that were lost later', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    const ids = ['wh_0', 'wh_1', 'wh_2'];
    for (const webhookId of ids) {
      await webhooks.create(newWebhook(webhookId), LIMITS);
      await deliveries.publish(newMessage(`of ${webhookId}`, { webhookId }));
      await deliveries.start(starting(deliveryTo(webhookId, `of ${webhookId}`)));
      await deliveries.finish(finishing(deliveryTo(webhookId, `of ${webhookId}`), 1, DELIVERED));
    }
    clock.advance(1);
    await webhooks.create(newWebhook('wh_lost'), LIMITS);
    await deliveries.publish(newMessage('lost', { webhookId: 'wh_lost' }));
    clock.advance(1);
    await deliveries.publish(newMessage('lost later', { webhookId: 'wh_1' }));
    clock.advance(1);
    const found = await deliveries.overdue({ graceMs: 0, limit: 3, putOffMs: 1000 });
    expect(found.map(({ deliveryId }) => deliveryId)).toEqual(['lost', 'lost later']);
  });
});
