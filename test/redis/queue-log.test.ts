import { expect, it } from 'vitest';
import { DAY_MS, LIMITS, newMessage, newWebhook } from '../support/storage/webhook-samples.ts';
import { COMPLETE, claimAll, claimOnce, endOf, GONE, idsOf } from './claim-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

it('a message is claimed after the log of its quiet webhook has expired', async () => {
  const { webhooks, deliveries, redis, keyPrefix } = await openWebhookStores();
  const webhook = newWebhook('wh_1');
  await webhooks.create(webhook, LIMITS);
  for (const id of ['m1', 'm2']) await deliveries.publish(newMessage(id));
  expect(await claimAll(deliveries)).toHaveLength(2);
  // Redis expires the log at the end of the retention of its newest delivery.
  await redis.del(`${keyPrefix}:{webhooks}:log:${webhook.accountId}/wh_1`);
  for (const id of ['m3', 'm4']) await deliveries.publish(newMessage(id));
  expect(idsOf(await claimAll(deliveries))).toEqual(['m3', 'm4']);
  const listed = await deliveries.list(webhook, { limit: 10, after: null });
  expect(listed?.map(({ state }) => state)).toEqual(['sending', 'sending']);
});

it('a message is claimed soon after thousands that have expired in the queue of a webhook with a low rate limit', async () => {
  const { webhooks, deliveries, clock } = await openWebhookStores();
  await webhooks.create(newWebhook('wh_1', { rateLimit: 1 }), LIMITS);
  const ids = Array.from({ length: 2_000 }, (_, i) => `old-${i}`);
  await Promise.all(ids.map((id) => deliveries.publish(newMessage(id, { maxQueued: 10_000 }))));
  clock.advance(7 * DAY_MS);
  await deliveries.publish(newMessage('new', { maxQueued: 10_000 }));
  let claimed: readonly string[] = [];
  for (let claims = 0; claims < 10 && claimed.length === 0; claims += 1) {
    claimed = idsOf((await claimOnce(deliveries)).attempts);
  }
  expect(claimed).toEqual(['new']);
});

it('the records of a disabled webhook with a full queue do not outlive their retention', async () => {
  const { webhooks, deliveries, redis, keyPrefix, clock } = await openWebhookStores();
  await webhooks.create(newWebhook('wh_1'), LIMITS);
  await deliveries.publish(newMessage('first'));
  const ends = (await claimAll(deliveries)).map((attempt) => endOf(attempt, GONE));
  await deliveries.complete(ends, COMPLETE);
  clock.advance(7 * DAY_MS);
  for (let i = 0; i < 100; i += 1) {
    clock.advance(100);
    await deliveries.publish(newMessage(`m${i}`, { maxQueued: 5, retentionMs: 1_000 }));
  }
  const keyOf = (kind: string) => `${keyPrefix}:{webhooks}:${kind}:7/wh_1`;
  const counts = [
    await redis.llen(keyOf('log')),
    await redis.hlen(keyOf('deliveries')),
    await redis.zcard(keyOf('failed')),
  ];
  expect(Math.max(...counts)).toBeLessThan(10);
  expect(await redis.llen(keyOf('fresh'))).toBe(5);
});

it('a publish() that finds the queue full of expired messages reports none of them, and stores nothing of them', async () => {
  const { webhooks, deliveries, redis, keyPrefix, clock } = await openWebhookStores();
  await webhooks.create(newWebhook('wh_1'), LIMITS);
  const limits = { maxQueued: 4, retentionMs: 60_000 };
  for (const id of ['a', 'b', 'c', 'd']) await deliveries.publish(newMessage(id, limits));
  clock.advance(60_001);
  expect(await deliveries.publish(newMessage('e', limits))).toMatchObject({ expired: [] });
  const keys = ['failed', 'deliveries'].map((kind) => `${keyPrefix}:{webhooks}:${kind}:7/wh_1`);
  expect(await redis.exists(...keys)).toBe(0);
});
