import { StorageUnavailableError } from '@latchhook/core/storage';
import { describe, expect, it } from 'vitest';
import { DAY_MS, LIMITS, newMessage, newWebhook } from '../support/storage/webhook-samples.ts';
import { idsOf } from './claim-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

describe('lists of deliveries', () => {
  it('contain live deliveries older than any number of expired ones', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    const [one, other] = [newWebhook('wh_1'), newWebhook('wh_2')];
    for (const webhook of [one, other]) await webhooks.create(webhook, LIMITS);
    const publish = (retentionMs: number) => (id: string) =>
      deliveries.publish(newMessage(id, { retentionMs, maxQueued: 10_000 }));
    const old = ['old-1', 'old-2', 'old-3'];
    for (const id of old) await publish(30 * DAY_MS)(id);
    const expired = Array.from({ length: 1_200 }, (_, i) => `expired-${i}`);
    await Promise.all(expired.map(publish(4 * DAY_MS)));
    clock.advance(4 * DAY_MS);
    await publish(4 * DAY_MS)('new');

    const page = await deliveries.list(one, { limit: 3, after: null });
    expect(idsOf(page ?? [])).toEqual(['new', 'old-3', 'old-2']);
    // `listPage` passes the same limit, to find out whether another page follows.
    const sequenceOfNew = old.length + expired.length + 1;
    const next = await deliveries.list(other, { limit: 1, after: sequenceOfNew });
    expect(idsOf(next ?? [])).toEqual(['old-3']);
  });

  it('contain the only delivery after a burst that has expired', async () => {
    const { webhook, deliveries, addExpired } = await openQueue();
    await addExpired(100_000);
    await deliveries.publish(newMessage('new', { maxQueued: 200_000 }));
    const page = await deliveries.list(webhook, { limit: 20, after: null });
    expect(idsOf(page ?? [])).toEqual(['new']);
  });

  it('reject if a page would skip too many expired deliveries', async () => {
    const { webhook, deliveries, addExpired } = await openQueue();
    await deliveries.publish(newMessage('old'));
    await addExpired(26_000);
    const list = (after: number | null) => deliveries.list(webhook, { limit: 20, after });
    await expect(list(null)).rejects.toThrow(StorageUnavailableError);
    expect(idsOf((await list(15_000)) ?? [])).toEqual(['old']);
  });
});

/** A webhook, and a function that adds entries of deliveries whose messages Redis has expired to its queue. */
async function openQueue() {
  const { webhooks, deliveries, redis, keyPrefix } = await openWebhookStores();
  const webhook = newWebhook('wh_1');
  await webhooks.create(webhook, LIMITS);
  const addExpired = (count: number) => {
    const entries = Array.from({ length: count }, (_, i) => `1 expired-${i}`);
    return redis.rpush(`${keyPrefix}:{webhooks}:fresh:7/wh_1`, ...entries);
  };
  return { webhook, deliveries, addExpired };
}
