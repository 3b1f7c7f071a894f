import { ATTEMPTS_KEPT, RESPONSES_KEPT } from '@latchhook/core';
import { describe, expect, inject, it } from 'vitest';
import { watchRedis } from '../support/watch-redis.ts';
import { openWebhookStores } from './open-webhook-stores.ts';
import { delivery, end, newMessage, newWebhook, ROOM, retryIn, turn } from './webhook-samples.ts';

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

  it('read nothing of what receivers answered, of which a delivery keeps little', async () => {
    const { webhooks, deliveries, redis, keyPrefix, clock } = await openWebhookStores();
    const webhook = newWebhook('wh_1');
    await webhooks.create(webhook, ROOM);
    await deliveries.publish(newMessage('m1'));
    const ref = delivery('wh_1', 'm1');
    for (let attempt = 1; attempt <= ATTEMPTS_KEPT + RESPONSES_KEPT; attempt += 1) {
      await deliveries.start(turn(ref));
      const { result, ...request } = end(ref, attempt, retryIn(0));
      await deliveries.finish({ ...request, result: { ...result, response: 'no' } });
      clock.advance(1000);
    }
    const key = `${keyPrefix}:{webhooks}:delivery:7/wh_1/m1`;
    const fields = await redis.hkeys(key);
    expect(fields.filter((field) => field.startsWith('attempt:'))).toHaveLength(ATTEMPTS_KEPT);
    expect(fields.filter((field) => field.startsWith('response:'))).toHaveLength(RESPONSES_KEPT);

    const toldSince = await watchRedis(inject('redisUrl'));
    await deliveries.list(webhook, { limit: 2, after: null });
    const told = await toldSince();
    const read = told
      .filter(({ words }) => words[1] === key)
      .flatMap(({ words }) => words.slice(2));
    expect(read).toContain(`attempt:${ATTEMPTS_KEPT}`);
    expect(read.filter((field) => field.startsWith('response:'))).toEqual([]);
  });
});
