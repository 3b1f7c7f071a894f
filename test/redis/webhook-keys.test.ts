import { redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import type { Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { connect, connectCluster, uniquePrefix } from '../support/storage/connect-redis.ts';
import {
  ACCOUNT_ID,
  DAY_MS,
  DELIVERED,
  deliveryTo,
  finishing,
  LIMITS,
  newMessage,
  newWebhook,
  retryAfter,
  starting,
  type WebhookStorage,
  withWebhooks,
} from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

/** Takes webhooks and deliveries through everything, and leaves a key of every kind. */
async function goThroughEverything({ webhooks, deliveries }: WebhookStorage) {
  const [webhook, spare] = [newWebhook('wh_1', { rateLimit: 100 }), newWebhook('wh_2')];
  for (const each of [webhook, spare]) await webhooks.create(each, LIMITS);
  await webhooks.change(webhook, { rateLimitPeriod: 'minute' });
  await webhooks.rotateSecret(webhook, { sealed: 'sealed-2', overlapMs: DAY_MS });
  const ids = Array.from({ length: 40 }, (_, nth) => `m${nth}`);
  for (const id of ids) await deliveries.publish(newMessage(id, { idempotencyKey: id }));
  const verdicts = [DELIVERED, retryAfter(0), { kind: 'dead', reason: 'exhausted' }] as const;
  for (const [nth, verdict] of verdicts.entries()) {
    await deliveries.start(starting(deliveryTo('wh_1', `m${nth}`)));
    await deliveries.finish(finishing(deliveryTo('wh_1', `m${nth}`), 1, verdict));
  }
  await deliveries.start(starting(deliveryTo('wh_1', 'm3')));
  await deliveries.start(starting(deliveryTo('wh_2', 'm0')));
  await deliveries.finish(finishing(deliveryTo('wh_2', 'm0'), 1, { kind: 'dead', reason: 'gone' }));
  await deliveries.start(starting(deliveryTo('wh_2', 'm1')));
  await deliveries.resend(deliveryTo('wh_1', 'm0'));
  await deliveries.recover(webhook, { sinceMs: 0, limit: 10 });
  await deliveries.publish(newMessage('m40', { maxQueued: 40 }));
  const limits = { rateMarginMs: 0, maxInFlight: 1, leaseMs: 20_000 };
  await deliveries.reschedule(webhook, { ...limits, limit: 10, after: null });
  for (const id of ['m4', 'm1'])
    await deliveries.start(starting(deliveryTo('wh_1', id), { maxInFlight: 1 }));
  return {
    webhooks: (await webhooks.list(ACCOUNT_ID, { limit: 10, after: null })).length,
    overdue: (await deliveries.overdue({ graceMs: 0, limit: 100, putOffMs: 0 })).length,
    states: (await deliveries.list(webhook, { limit: 100, after: null }))?.map(
      ({ state }) => state,
    ),
    pending: await deliveries.countPending(),
  };
}

async function kindsOf(redis: Redis, keyPrefix: string): Promise<ReadonlyMap<string, string>> {
  const keys = await redis.keys(`${keyPrefix}:{*`);
  return new Map(keys.map((key) => [key, key.slice(keyPrefix.length).split(':')[2] ?? '']));
}

describe('the keys of webhooks', () => {
  it('have a time to live, or are removed with their webhook', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    const stores = withWebhooks(redisStorage(redis, { keyPrefix, deadlineMs: PATIENT_MS }));
    await goThroughEverything(stores);
    const kinds = await kindsOf(redis, keyPrefix);
    expect(new Set(kinds.values())).toEqual(
      new Set([
        ...[
          'sequence',
          'active',
          'all',
          'account',
          'event',
          'webhook',
          'starts',
          'queued',
          'held',
          'parked',
          'retries',
          'parkedRetries',
        ],
        ...['due', 'inFlight', 'dead', 'log', 'delivery', 'message', 'idempotency'],
      ]),
    );
    for (const id of ['wh_1', 'wh_2']) await stores.webhooks.remove(newWebhook(id));

    const left = await kindsOf(redis, keyPrefix);
    const expected = ['sequence', 'delivery', 'message', 'idempotency'];
    expect(new Set(left.values())).toEqual(new Set(expected));
    const lasting = [...left].filter(([, kind]) => kind !== 'sequence').map(([key]) => key);
    const ttls = await Promise.all(lasting.map((key) => redis.pttl(key)));
    expect(ttls.filter((ttl) => ttl <= 0)).toEqual([]);
  });

  it('may be prefixed by the client as well', async () => {
    const prefixed = connect(undefined, { keyPrefix: 'host:' });
    const keyPrefix = uniquePrefix();
    const plain = withWebhooks(
      redisStorage(connect(), { keyPrefix: uniquePrefix(), deadlineMs: PATIENT_MS }),
    );
    const answers = await goThroughEverything(
      withWebhooks(redisStorage(prefixed, { keyPrefix, deadlineMs: PATIENT_MS })),
    );
    expect(answers).toEqual(await goThroughEverything(plain));
    expect(await connect().keys(`${keyPrefix}*`)).toEqual([]);
  });

  it.skipIf(inject('redisClusterNodes').length === 0)(
    'are all in one slot of a cluster that refuses anything else',
    async () => {
      const cluster = connectCluster();
      const keyPrefix = uniquePrefix();
      await goThroughEverything(
        withWebhooks(redisStorage(cluster, { keyPrefix, deadlineMs: PATIENT_MS })),
      );
      const keysOf = await Promise.all(
        cluster.nodes('master').map((node) => node.keys(`${keyPrefix}:{*`)),
      );
      const slots = await Promise.all(keysOf.flat().map((key) => cluster.cluster('KEYSLOT', key)));
      expect(slots.length).toBeGreaterThan(100);
      expect(new Set(slots).size).toBe(1);
    },
  );
});

describe('a delivery', () => {
  async function commandsOf(redis: Redis, work: () => unknown): Promise<number> {
    await redis.config('RESETSTAT');
    await work();
    const stats = await redis.info('commandstats');
    return [...stats.matchAll(/:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
  }

  it('costs as many commands behind a backlog of thousands as behind none', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const redis = connect(server.url);
    const clock = turnableClock();
    const { webhooks, deliveries } = withWebhooks(
      redisStorage(redis, { clock, deadlineMs: PATIENT_MS }),
    );
    const webhook = newWebhook('wh_1', { rateLimit: 100 });
    await webhooks.create(webhook, LIMITS);
    const deliver = async (id: string, nextId: string) => {
      await deliveries.publish(newMessage(nextId, { maxQueued: 10_000 }));
      await deliveries.start(starting(deliveryTo('wh_1', id)));
      await deliveries.finish(finishing(deliveryTo('wh_1', id), 1, DELIVERED));
    };
    await deliver('m0', 'm0');
    const alone = await commandsOf(redis, () => deliver('m1', 'm1'));
    for (let nth = 2; nth < 5000; nth += 1)
      await deliveries.publish(newMessage(`m${nth}`, { maxQueued: 10_000 }));
    clock.advance(1000);
    const behind = await commandsOf(redis, () => deliver('m2', 'm-last'));
    expect(alone).toBeLessThan(36);
    // In a queue that is not empty, it looks for what is forgotten, and for the place of the last one.
    expect(behind).toBeLessThan(alone + 25);
    const deferred = await commandsOf(redis, () =>
      deliveries.start(starting(deliveryTo('wh_1', 'm4000'))),
    );
    expect(deferred).toBeLessThan(40);
    const removal = await commandsOf(redis, () => webhooks.remove(webhook));
    expect(removal).toBeLessThan(25);
  });
});
