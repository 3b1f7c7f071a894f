import { redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { connect } from '../support/storage/connect-redis.ts';
import {
  DELIVERED,
  deliveryTo,
  finishing,
  LIMITS,
  newMessage,
  newWebhook,
  retryAfter,
  starting,
  withWebhooks,
} from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

describe('a Redis whose memory is full', () => {
  it('stores no message, nor a part of one, but what it has can be delivered', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const redis = connect(server.url);
    const { webhooks, deliveries } = withWebhooks(redisStorage(redis, { deadlineMs: PATIENT_MS }));
    for (const id of ['wh_1', 'wh_2']) await webhooks.create(newWebhook(id), LIMITS);
    await deliveries.publish(newMessage('m1'));
    const before = await redis.dbsize();
    await redis.config('SET', 'maxmemory', '1');

    const message = newMessage('m2', { idempotencyKey: 'k' });
    await expect(deliveries.publish(message)).rejects.toThrow(/OOM/);
    expect(await redis.dbsize()).toBe(before);
    expect(await deliveries.publish(newMessage('m1'))).toMatchObject({ outcome: 'duplicate' });
    const ref = deliveryTo('wh_1', 'm1');
    expect(await deliveries.start(starting(ref))).toMatchObject({ outcome: 'started' });
    expect(await deliveries.finish(finishing(ref, 1, retryAfter(0)))).toMatchObject({
      state: 'waiting',
    });
    expect(await deliveries.start(starting(ref))).toMatchObject({ outcome: 'started' });
    expect(await deliveries.finish(finishing(ref, 2, DELIVERED))).toMatchObject({
      state: 'delivered',
    });
    expect(await webhooks.remove(newWebhook('wh_2'))).toBe(true);
    await redis.config('SET', 'maxmemory', '0');
    expect(await deliveries.publish(message)).toMatchObject({
      outcome: 'published',
      deliveries: 1,
    });
  });

  it('defers what may not start, and finds what is late', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const redis = connect(server.url);
    const clock = turnableClock();
    const { webhooks, deliveries } = withWebhooks(
      redisStorage(redis, { clock, deadlineMs: PATIENT_MS }),
    );
    await webhooks.create(newWebhook('wh_1', { rateLimit: 2 }), LIMITS);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    const start = (id: string, maxInFlight = 100) =>
      deliveries.start(starting(deliveryTo('wh_1', id), { maxInFlight }));
    await start('m1');
    await deliveries.finish(finishing(deliveryTo('wh_1', 'm1'), 1, retryAfter(0)));
    await start('m2');
    await redis.config('SET', 'maxmemory', '1');

    for (const id of ['m1', 'm3']) expect(await start(id)).toMatchObject({ reason: 'rate' });
    const noRoom = { rateMarginMs: 0, maxInFlight: 1, leaseMs: 20_000 };
    const rescheduled = await deliveries.reschedule(newWebhook('wh_1'), {
      ...noRoom,
      limit: 10,
      after: null,
    });
    expect(rescheduled?.map(({ deliveryId }) => deliveryId)).toEqual(['m1', 'm3']);
    clock.advance(1000);
    for (const id of ['m1', 'm3'])
      expect(await start(id, 1)).toMatchObject({ reason: 'in_flight' });
    clock.advance(60_000);
    expect(await deliveries.overdue({ graceMs: 0, limit: 10, putOffMs: 0 })).toHaveLength(3);
  });

  it.each(['queued', 'sending'])('puts off what is late and %s', async (state) => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const redis = connect(server.url);
    const clock = turnableClock();
    const { webhooks, deliveries } = withWebhooks(
      redisStorage(redis, { clock, deadlineMs: PATIENT_MS }),
    );
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    const ref = deliveryTo('wh_1', 'm1');
    await deliveries.publish(newMessage('m1'));
    if (state === 'sending') await deliveries.start(starting(ref, { leaseMs: 1000 }));
    await redis.config('SET', 'maxmemory', '1');
    clock.advance(60_000);
    const request = { graceMs: 0, limit: 10, putOffMs: 1000 };
    expect(await deliveries.overdue(request)).toHaveLength(1);
    expect(await deliveries.overdue(request)).toEqual([]);
    clock.advance(1000);
    expect(await deliveries.overdue(request)).toHaveLength(1);
    const attempt = state === 'sending' ? 2 : 1;
    expect(await deliveries.start(starting(ref))).toMatchObject({ outcome: 'started', attempt });
    clock.advance(60_000);
    expect(await deliveries.overdue(request)).toHaveLength(1);
    expect(await deliveries.finish(finishing(ref, attempt, DELIVERED))).toMatchObject({
      state: 'delivered',
    });
    expect(await deliveries.countPending()).toBe(0);
  });
});
