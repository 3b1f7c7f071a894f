import { describe, expect, it } from 'vitest';
import { openWebhookStores } from './open-webhook-stores.ts';
import { delivery, newMessage, newWebhook, ROOM, turn } from './webhook-samples.ts';

describe('lists of deliveries', () => {
  it('come newest first, a page at a time', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    const webhook = newWebhook('wh_1');
    expect(await deliveries.list(webhook, { limit: 2, after: null })).toBeNull();
    await webhooks.create(webhook, ROOM);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    const first = await deliveries.list(webhook, { limit: 2, after: null });
    expect(first).toMatchObject([{ deliveryId: 'm3' }, { deliveryId: 'm2', sequence: 2 }]);
    const rest = await deliveries.list(webhook, { limit: 2, after: 2 });
    expect(rest).toMatchObject([{ deliveryId: 'm1', state: 'queued', attempts: [] }]);
    await webhooks.remove(webhook);
    expect(await deliveries.list(webhook, { limit: 2, after: null })).toBeNull();
    expect(await deliveries.find(delivery('wh_1', 'm1'))).toBeNull();
    expect(await deliveries.start(turn(delivery('wh_1', 'm1')))).toEqual({ outcome: 'over' });
  });
});
