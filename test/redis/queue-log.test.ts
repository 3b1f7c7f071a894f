import { expect, it } from 'vitest';
import { LIMITS, newMessage, newWebhook } from '../support/storage/webhook-samples.ts';
import { claimAll, idsOf } from './claim-samples.ts';
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
