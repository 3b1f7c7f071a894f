import { redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import { LIMITS, newMessage, newWebhook } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const LEASE_MS = 20_000;
const REQUEST = {
  limit: 10,
  leaseMs: LEASE_MS,
  rateMarginMs: 0,
  maxStalledAttempts: 2,
  maxInFlightPerWebhook: 10,
  maxInFlightPerAccount: 10,
};
const ENDING = { disableAfterMs: 1_000_000 };

describe('the webhook queues in Redis', () => {
  it('are claimed, completed and recovered from stalled workers while memory is full', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const redis = connect(server.url);
    const clock = turnableClock();
    const { webhooks, deliveries } = redisStorage(redis, { clock, deadlineMs: PATIENT_MS });
    for (const id of ['wh_1', 'wh_2']) await webhooks.create(newWebhook(id), LIMITS);
    for (const id of ['m1', 'm2']) await deliveries.publish(newMessage(id));
    await redis.config('SET', 'maxmemory', '1');

    await expect(deliveries.publish(newMessage('m3'))).rejects.toThrow(/OOM/);
    const { attempts } = await deliveries.claim(REQUEST);
    expect(attempts).toHaveLength(4);
    const [first, ...others] = attempts.map((attempt) => ({
      ...attempt,
      outcome: { kind: 'retry', delayMs: 0 } as const,
      result: { status: 500, durationMs: 1, error: 'status' },
      backoffMs: 0,
      url: attempt.webhook.url,
    }));
    const completed = await deliveries.complete(first ? [first] : [], ENDING);
    expect(completed).toEqual([{ outcome: 'completed', disabled: null }]);
    expect((await deliveries.claim(REQUEST)).attempts).toMatchObject([{ attempt: 2 }]);
    clock.advance(LEASE_MS);
    expect((await deliveries.claim(REQUEST)).attempts).toHaveLength(4);
    expect(await deliveries.complete(others, ENDING)).toEqual(
      others.map(() => ({ outcome: 'stale' })),
    );
    clock.advance(LEASE_MS);
    expect((await deliveries.claim(REQUEST)).poisoned).toHaveLength(4);
    expect(await webhooks.remove(newWebhook('wh_2'))).toBe(true);
  });

  it('keep failed, stalled and redelivered deliveries as long as their messages', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    const clock = turnableClock();
    const { webhooks, deliveries } = redisStorage(redis, {
      keyPrefix,
      clock,
      deadlineMs: PATIENT_MS,
    });
    const webhook = newWebhook('wh_1', { rateLimit: 1 });
    await webhooks.create(webhook, LIMITS);
    const ttls = async () => {
      const names = ['deliveries', 'failed', 'retries'];
      const keys = names.map((kind) => `${keyPrefix}:{webhooks}:${kind}:${webhook.accountId}/wh_1`);
      return Promise.all(keys.map((key) => redis.pttl(key)));
    };
    const shortMs = 60_000;
    const longMs = 7_200_000;
    await deliveries.publish(newMessage('short', { retentionMs: shortMs, maxQueued: 1 }));
    await deliveries.publish(newMessage('long', { retentionMs: longMs, maxQueued: 1 }));
    // The second message has expired the first one in the queue: its record is among the failed ones.
    const [ofRecords = 0, ofFailed = 0] = await ttls();
    for (const ttl of [ofRecords, ofFailed]) expect(ttl).toBeGreaterThan(shortMs);

    // The attempt for the second message stalls, which leaves a record of the lost attempt.
    await deliveries.claim(REQUEST);
    clock.advance(LEASE_MS);
    await deliveries.claim({ ...REQUEST, limit: 1 });
    const [ofLost = 0] = await ttls();
    expect(ofLost).toBeGreaterThan(longMs);
    await deliveries.redeliver({ ...webhook, deliveryId: 'short' });
    const [, , ofRetries = 0] = await ttls();
    expect(ofRetries).toBeGreaterThan(shortMs - LEASE_MS);
  });

  it('expire at most 64 deliveries per call after maxQueued was lowered', async () => {
    const keyPrefix = uniquePrefix();
    const { webhooks, deliveries } = redisStorage(connect(), { keyPrefix, deadlineMs: PATIENT_MS });
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    await Promise.all(
      Array.from({ length: 300 }, (_, i) => deliveries.publish(newMessage(`m${i}`))),
    );
    const published = await deliveries.publish(newMessage('last', { maxQueued: 1 }));
    expect(published).toMatchObject({ outcome: 'published', expired: { length: 64 } });
  });
});
