import { redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { connect } from '../support/storage/connect-redis.ts';
import {
  LIMITS,
  newMessage,
  newWebhook,
  withWebhooks,
} from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import {
  COMPLETE,
  claimAll,
  claimOnce,
  completeAll,
  DELIVERED,
  EXHAUSTED,
  endOf,
  idsOf,
  notStarted,
  retryIn,
} from './claim-samples.ts';

async function openStores() {
  const server = await startRedisServer();
  onTestFinished(() => server.stop());
  const redis = connect(server.url);
  const clock = turnableClock();
  const stores = withWebhooks(redisStorage(redis, { clock, deadlineMs: PATIENT_MS }));
  const fill = () => redis.config('SET', 'maxmemory', '1');
  const empty = () => redis.config('SET', 'maxmemory', '0');
  return { ...stores, redis, clock, fill, empty };
}

describe('a Redis whose memory is full', () => {
  it('rejects a message without storing any part of it', async () => {
    const { webhooks, deliveries, redis, fill, empty } = await openStores();
    for (const id of ['wh_1', 'wh_2']) await webhooks.create(newWebhook(id), LIMITS);
    await deliveries.publish(newMessage('m1'));
    const before = await redis.dbsize();
    await fill();
    const message = newMessage('m2', { idempotencyKey: 'k' });
    await expect(deliveries.publish(message)).rejects.toThrow(/OOM/);
    expect(await redis.dbsize()).toBe(before);
    expect(await deliveries.publish(newMessage('m1'))).toMatchObject({ outcome: 'duplicate' });
    expect(await webhooks.remove(newWebhook('wh_2'))).toBe(true);
    await empty();
    expect(await deliveries.publish(message)).toMatchObject({
      outcome: 'published',
      deliveries: 1,
    });
  });

  it('sends its stored deliveries', async () => {
    const { webhooks, deliveries, clock, fill } = await openStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 2 }), LIMITS);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    await fill();
    const [first, second] = await claimAll(deliveries);
    if (!first || !second) throw new Error('there are fewer attempts than the rate allows');
    const ends = [endOf(first, DELIVERED), endOf(second, retryIn(1_000))];
    const completed = { outcome: 'completed', disabled: null };
    expect(await deliveries.complete(ends, COMPLETE)).toEqual([completed, completed]);
    expect(await claimOnce(deliveries)).toMatchObject({ attempts: [], nextInMs: 1_000 });
    clock.advance(1_000);
    const rest = await claimAll(deliveries);
    expect(idsOf(rest)).toEqual(['m2', 'm3']);
    await completeAll(deliveries, rest, DELIVERED);
    expect(await deliveries.stats()).toEqual({ pending: 0, oldestDueAgeMs: 0 });
  });

  it('records the end of an attempt with any outcome', async () => {
    const { webhooks, deliveries, clock, fill, empty } = await openStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    for (const id of ['m1', 'm2', 'm3', 'm4']) await deliveries.publish(newMessage(id));
    const [first, second, third, fourth] = await claimAll(deliveries);
    if (!first || !second || !third || !fourth) throw new Error('there are fewer attempts');
    await fill();
    for (const end of [
      endOf(first, DELIVERED),
      endOf(second, retryIn(5_000)),
      notStarted(third),
      endOf(fourth, EXHAUSTED),
    ]) {
      expect(await deliveries.complete([end], COMPLETE)).toMatchObject([{ outcome: 'completed' }]);
    }
    const listed = await deliveries.list(newWebhook('wh_1'), { limit: 10, after: null });
    const states = ['dead', 'queued', 'waiting', 'delivered'];
    expect(listed?.map(({ state }) => state)).toEqual(states);
    await empty();
    expect(idsOf(await claimAll(deliveries))).toEqual(['m3']);
    clock.advance(5_000);
    expect(await claimAll(deliveries)).toMatchObject([{ deliveryId: 'm2', failures: 1 }]);
  });

  it('resends the delivery of a stalled attempt', async () => {
    const { webhooks, deliveries, clock, fill } = await openStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    await deliveries.publish(newMessage('m1'));
    await claimAll(deliveries, { leaseMs: 1_000 });
    await fill();
    clock.advance(1_000);
    const attempts = await claimAll(deliveries, { leaseMs: 1_000 });
    expect(attempts).toMatchObject([{ deliveryId: 'm1', attempt: 2 }]);
    await completeAll(deliveries, attempts, DELIVERED);
    const listed = await deliveries.list(newWebhook('wh_1'), { limit: 10, after: null });
    expect(listed).toMatchObject([{ state: 'delivered', attempts: [{ error: 'lost' }, {}] }]);
  });
});
