import { redisStorage } from '@latchhook/redis';
import { expect, it } from 'vitest';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import { LIMITS, newMessage, newWebhook } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const REQUEST = {
  ...{ limit: 10, leaseMs: 20_000, rateMarginMs: 0, maxLostAttempts: 5 },
  ...{ maxInFlightPerWebhook: 10, maxInFlightPerAccount: 10 },
};

it('hands out what is published after the log of a quiet webhook has expired', async () => {
  const redis = connect();
  const keyPrefix = uniquePrefix();
  const { webhooks, claims } = redisStorage(redis, { keyPrefix, deadlineMs: PATIENT_MS });
  const webhook = newWebhook('wh_1');
  await webhooks.create(webhook, LIMITS);
  for (const id of ['m1', 'm2']) await claims.publish(newMessage(id));
  expect((await claims.claim(REQUEST)).attempts).toHaveLength(2);
  // As Redis does once the retention of the youngest is over.
  await redis.del(`${keyPrefix}:{webhooks}:log:${webhook.accountId}/wh_1`);
  for (const id of ['m3', 'm4']) await claims.publish(newMessage(id));
  const { attempts } = await claims.claim(REQUEST);
  expect(attempts.map(({ deliveryId }) => deliveryId)).toEqual(['m3', 'm4']);
  const listed = await claims.list(webhook, { limit: 10, after: null });
  expect(listed?.map(({ state }) => state)).toEqual(['sending', 'sending']);
});
