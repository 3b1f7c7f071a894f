import { ATTEMPTS_KEPT, RESPONSES_KEPT, StorageUnavailableError } from '@latchhook/core/storage';
import { describe, expect, inject, it } from 'vitest';
import { watchRedis } from '../support/servers/watch-redis.ts';
import {
  DAY_MS,
  deliveryTo,
  finishing,
  LIMITS,
  newMessage,
  newWebhook,
  retryAfter,
  starting,
} from '../support/storage/webhook-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

describe('lists of deliveries', () => {
  it('come newest first, a page at a time', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    const webhook = newWebhook('wh_1');
    expect(await deliveries.list(webhook, { limit: 2, after: null })).toBeNull();
    await webhooks.create(webhook, LIMITS);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    const first = await deliveries.list(webhook, { limit: 2, after: null });
    expect(first).toMatchObject([{ deliveryId: 'm3' }, { deliveryId: 'm2', sequence: 2 }]);
    const rest = await deliveries.list(webhook, { limit: 2, after: 2 });
    expect(rest).toMatchObject([{ deliveryId: 'm1', state: 'queued', attempts: [] }]);
    await webhooks.remove(webhook);
    expect(await deliveries.list(webhook, { limit: 2, after: null })).toBeNull();
    expect(await deliveries.find(deliveryTo('wh_1', 'm1'))).toBeNull();
    expect(await deliveries.start(starting(deliveryTo('wh_1', 'm1')))).toEqual({ outcome: 'over' });
  });

  it('do not read the responses of receivers, of which a delivery keeps few', async () => {
    const { webhooks, deliveries, redis, keyPrefix, clock } = await openWebhookStores();
    const webhook = newWebhook('wh_1');
    await webhooks.create(webhook, LIMITS);
    await deliveries.publish(newMessage('m1'));
    const ref = deliveryTo('wh_1', 'm1');
    for (let attempt = 1; attempt <= ATTEMPTS_KEPT + RESPONSES_KEPT; attempt += 1) {
      await deliveries.start(starting(ref));
      const { result, ...request } = finishing(ref, attempt, retryAfter(0));
      await deliveries.finish({ ...request, result: { ...result, response: 'no' } });
      clock.advance(1000);
    }
    const key = `${keyPrefix}:{webhooks}:delivery:7/wh_1/m1`;
    const fields = await redis.hkeys(key);
    expect(fields.filter((field) => field.startsWith('attempt:'))).toHaveLength(ATTEMPTS_KEPT);
    expect(fields.filter((field) => field.startsWith('response:'))).toHaveLength(RESPONSES_KEPT);

    const commandsSeen = await watchRedis(inject('redisUrl'));
    await deliveries.list(webhook, { limit: 2, after: null });
    const commands = await commandsSeen();
    const read = commands
      .filter(({ words }) => words[1] === key)
      .flatMap(({ words }) => words.slice(2));
    expect(read).toContain(`attempt:${ATTEMPTS_KEPT}`);
    expect(read.filter((field) => field.startsWith('response:'))).toEqual([]);
  });

  it('reach what is kept behind any number of forgotten deliveries, after the retention was shortened', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    const [one, other] = [newWebhook('wh_1'), newWebhook('wh_2')];
    for (const webhook of [one, other]) await webhooks.create(webhook, LIMITS);
    const publish = (retentionMs: number) => (id: string) =>
      deliveries.publish(newMessage(id, { retentionMs, maxQueued: 10_000 }));
    const old = ['old-1', 'old-2', 'old-3'];
    for (const id of old) await publish(30 * DAY_MS)(id);
    const forgotten = Array.from({ length: 1_200 }, (_, nth) => `forgotten-${nth}`);
    await Promise.all(forgotten.map(publish(4 * DAY_MS)));
    clock.advance(4 * DAY_MS);
    await publish(4 * DAY_MS)('new');

    const page = await deliveries.list(one, { limit: 3, after: null });
    expect(page?.map(({ deliveryId }) => deliveryId)).toEqual(['new', 'old-3', 'old-2']);
    // As `listPage` does to find out whether another page follows.
    const after = old.length + forgotten.length + 1;
    const next = await deliveries.list(other, { limit: 1, after });
    expect(next).toMatchObject([{ deliveryId: 'old-3' }]);
  });

  it('fail if more is forgotten than is removed for one page, and succeed when asked again', async () => {
    const { webhooks, deliveries, redis, keyPrefix } = await openWebhookStores();
    const webhook = newWebhook('wh_1');
    await webhooks.create(webhook, LIMITS);
    const publish = (id: string) => deliveries.publish(newMessage(id));
    await publish('old');
    // What is left of a delivery once its hash has expired.
    const forgotten = Array.from({ length: 26_000 }, (_, nth) => [1.5, `f-${nth}`]);
    await redis.zadd(`${keyPrefix}:{webhooks}:log:7/wh_1`, ...forgotten.flat());
    await publish('new');
    const list = () => deliveries.list(webhook, { limit: 20, after: null });
    await expect(list()).rejects.toThrow(StorageUnavailableError);
    expect(await list()).toMatchObject([{ deliveryId: 'new' }, { deliveryId: 'old' }]);
  });
});
