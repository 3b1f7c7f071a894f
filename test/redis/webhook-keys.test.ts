import { redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import type { Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { connect, connectCluster, uniquePrefix } from '../support/storage/connect-redis.ts';
import {
  ACCOUNT_ID,
  DAY_MS,
  deliveryTo,
  LIMITS,
  newMessage,
  newWebhook,
  type WebhookStorage,
  withWebhooks,
} from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import {
  CLAIM,
  COMPLETE,
  claimAll,
  claimOnce,
  completeAll,
  DELIVERED,
  EXHAUSTED,
  endOf,
  GONE,
  idsOf,
  notStarted,
  retryIn,
} from './claim-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

/** Runs every operation on webhooks and deliveries, and leaves a key of every kind. */
async function runEveryOperation({ webhooks, deliveries }: WebhookStorage) {
  const [webhook, spare] = [newWebhook('wh_1', { rateLimit: 100 }), newWebhook('wh_2')];
  for (const each of [webhook, spare]) await webhooks.create(each, LIMITS);
  await webhooks.rotateSecret(webhook, { encrypted: 'encrypted-2', overlapMs: DAY_MS });
  const ids = Array.from({ length: 40 }, (_, i) => `m${i}`);
  for (const id of ids) await deliveries.publish(newMessage(id, { idempotencyKey: id }));
  const caps = { maxInFlightPerWebhook: 10, maxInFlightPerAccount: 15 };
  const { attempts } = await claimOnce(deliveries, caps);
  const outcomes = [DELIVERED, retryIn(0), retryIn(60_000), EXHAUSTED, EXHAUSTED];
  const ends = attempts.map((attempt, i) => {
    if (attempt.webhookId === spare.webhookId) return endOf(attempt, GONE);
    const outcome = outcomes[i];
    return outcome === undefined ? notStarted(attempt) : endOf(attempt, outcome, 10);
  });
  await deliveries.complete(ends.slice(0, -2), COMPLETE);
  await webhooks.change(webhook, { rateLimitPeriod: 'minute' });
  await deliveries.redeliver(deliveryTo('wh_1', 'm0'));
  await deliveries.redeliverFailed(webhook, { sinceMs: 0, limit: 1 });
  await deliveries.publish(newMessage('m40', { maxQueued: 30 }));
  const listed = await deliveries.list(webhook, { limit: 100, after: null });
  return {
    webhooks: (await webhooks.list(ACCOUNT_ID, { limit: 10, after: null })).length,
    states: listed?.map(({ state }) => state),
    pending: (await deliveries.stats()).pending,
  };
}

async function kindsOf(redis: Redis, keyPrefix: string): Promise<ReadonlyMap<string, string>> {
  const keys = await redis.keys(`${keyPrefix}:{*`);
  return new Map(keys.map((key) => [key, kindOf(key, keyPrefix)]));
}

function kindOf(key: string, keyPrefix: string): string {
  return key.slice(keyPrefix.length).split(':')[2] ?? '';
}

/** Keys of a partition, not of a webhook. */
const SINGLE = ['registered', 'idle', 'clock'];

describe('the keys of webhooks', () => {
  it('have a TTL, or are removed with their webhook', async () => {
    const { redis, keyPrefix, clock, ...stores } = await openWebhookStores();
    await runEveryOperation(stores);
    const kinds = new Set((await kindsOf(redis, keyPrefix)).values());
    const ofAll = ['registered', 'clock', 'all', 'due', 'leases', 'inFlight'];
    const ofOne = ['webhook', 'fresh', 'log', 'deliveries', 'retries', 'failed', 'window'];
    const others = ['account', 'event', 'message', 'idempotency'];
    expect(kinds).toEqual(new Set([...ofAll, ...ofOne, ...others]));
    for (const id of ['wh_1', 'wh_2']) await stores.webhooks.remove(newWebhook(id));

    // The attempts in flight are given up at the end of their leases.
    clock.advance(CLAIM.leaseMs);
    await claimAll(stores.deliveries);
    const kindByKey = await kindsOf(redis, keyPrefix);
    const lasting = [...kindByKey].filter(([, kind]) => !SINGLE.includes(kind));
    expect(new Set(lasting.map(([, kind]) => kind))).toEqual(new Set(['message', 'idempotency']));
    const ttls = await Promise.all(lasting.map(([key]) => redis.pttl(key)));
    expect(ttls.filter((ttl) => ttl <= 0)).toEqual([]);
  });

  it('are removed with a webhook that waited for the limit of its account', async () => {
    const { webhooks, deliveries, redis, keyPrefix, clock } = await openWebhookStores();
    const ids = ['wh_1', 'wh_2', 'wh_3'];
    for (const id of ids) await webhooks.create(newWebhook(id), LIMITS);
    await deliveries.publish(newMessage('m1'));
    const cap = { maxInFlightPerAccount: 1 };
    const { attempts } = await claimOnce(deliveries, cap);
    await deliveries.complete(
      attempts.map((attempt) => endOf(attempt, DELIVERED)),
      COMPLETE,
    );
    for (const id of ids) await webhooks.remove(newWebhook(id));
    clock.advance(CLAIM.leaseMs);
    await claimAll(deliveries, cap);
    const kinds = new Set((await kindsOf(redis, keyPrefix)).values());
    expect(kinds).toEqual(new Set([...SINGLE, 'message']));
  });

  it('work with a key prefix of the client', async () => {
    const prefixed = connect(undefined, { keyPrefix: 'host:' });
    const keyPrefix = uniquePrefix();
    const open = (redis: Redis, prefix: string) =>
      withWebhooks(redisStorage(redis, { keyPrefix: prefix, deadlineMs: PATIENT_MS }));
    const results = await runEveryOperation(open(prefixed, keyPrefix));
    expect(results).toEqual(await runEveryOperation(open(connect(), uniquePrefix())));
    expect(await connect().keys(`${keyPrefix}*`)).toEqual([]);
  });

  it.skipIf(inject('redisClusterNodes').length === 0)(
    'share one slot per account on a Redis Cluster',
    async () => {
      const cluster = connectCluster();
      const keyPrefix = uniquePrefix();
      await runEveryOperation(
        withWebhooks(redisStorage(cluster, { keyPrefix, deadlineMs: PATIENT_MS })),
      );
      const keysOf = await Promise.all(
        cluster.nodes('master').map((node) => node.keys(`${keyPrefix}:{*`)),
      );
      const ofAccount = keysOf.flat().filter((key) => !SINGLE.includes(kindOf(key, keyPrefix)));
      const slots = await Promise.all(ofAccount.map((key) => cluster.cluster('KEYSLOT', key)));
      expect(slots.length).toBeGreaterThan(90);
      expect(new Set(slots).size).toBe(1);
    },
  );
});

describe('the keys of deliveries in Redis', () => {
  it('contain no expired deliveries after others were published', async () => {
    const { webhooks, deliveries, redis, keyPrefix, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    const publish = async (count: number, name: string) => {
      for (let i = 0; i < count; i += 1) await deliveries.publish(newMessage(`${name}${i}`));
    };
    await publish(8, 'old');
    const { attempts } = await claimOnce(deliveries, { limit: 3 });
    const [first, second, third] = attempts;
    if (!first || !second || !third) throw new Error('there are fewer attempts than messages');
    const ends = [endOf(first, DELIVERED), endOf(second, retryIn(1)), endOf(third, EXHAUSTED)];
    await deliveries.complete(ends, COMPLETE);
    clock.advance(7 * DAY_MS);
    await publish(32, 'new');
    await claimAll(deliveries);
    const keyOf = (kind: string) => `${keyPrefix}:{webhooks}:${kind}:7/wh_1`;
    const entries = [
      ...(await redis.lrange(keyOf('log'), 0, -1)),
      ...(await redis.lrange(keyOf('fresh'), 0, -1)),
    ];
    const ids = [
      ...entries.map((entry) => entry.split(' ')[1] ?? ''),
      ...(await redis.hkeys(keyOf('deliveries'))),
      ...(await redis.zrange(keyOf('retries'), 0, '-1')),
      ...(await redis.zrange(keyOf('failed'), 0, '-1')),
    ];
    expect(new Set(ids.map((id) => id.slice(0, 3)))).toEqual(new Set(['new']));
  });

  it('contain no delivery whose retention ended in flight', async () => {
    const { webhooks, deliveries, redis, keyPrefix, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    for (const id of ['old1', 'old2', 'old3']) await deliveries.publish(newMessage(id));
    clock.advance(7 * DAY_MS - 1);
    const [first, second] = await claimAll(deliveries);
    if (!first || !second) throw new Error('there are fewer attempts than messages');
    clock.advance(1);
    for (let i = 0; i < 32; i += 1) await deliveries.publish(newMessage(`new${i}`));
    await deliveries.complete([endOf(first, DELIVERED), endOf(second, EXHAUSTED)], COMPLETE);
    clock.advance(CLAIM.leaseMs);
    await claimAll(deliveries);
    const keyOf = (kind: string) => `${keyPrefix}:{webhooks}:${kind}:7/wh_1`;
    expect(await redis.zrange(keyOf('failed'), 0, '-1')).toEqual([]);
    expect(await redis.hkeys(keyOf('deliveries'))).toEqual([]);
  });

  it('have a TTL even if no more events are published', async () => {
    const { webhooks, deliveries, redis, keyPrefix } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    const [first, second] = await claimAll(deliveries);
    if (!first || !second) throw new Error('there are fewer attempts than messages');
    await deliveries.complete([endOf(first, retryIn(1)), endOf(second, EXHAUSTED)], COMPLETE);
    for (const kind of ['log', 'deliveries', 'retries', 'failed']) {
      const key = `${keyPrefix}:{webhooks}:${kind}:7/wh_1`;
      expect(await redis.pttl(key), kind).toBeGreaterThan(0);
    }
  });
});

describe('the record of a delivery without a finished attempt', () => {
  it('has a TTL if the delivery expired in the queue', async () => {
    const { webhooks, deliveries, redis, keyPrefix } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    for (const id of ['m1', 'm2']) await deliveries.publish(newMessage(id, { maxQueued: 1 }));
    expect(await redis.pttl(`${keyPrefix}:{webhooks}:deliveries:7/wh_1`)).toBeGreaterThan(0);
  });

  it('has a TTL if its attempt stalled', async () => {
    const { webhooks, deliveries, redis, keyPrefix, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    await deliveries.publish(newMessage('m1'));
    await claimAll(deliveries);
    clock.advance(CLAIM.leaseMs);
    await claimAll(deliveries);
    expect(await redis.pttl(`${keyPrefix}:{webhooks}:deliveries:7/wh_1`)).toBeGreaterThan(0);
  });
});

describe('a delivery whose message Redis has lost', () => {
  it('is not sent, and does not block other deliveries', async () => {
    const { webhooks, deliveries, redis, keyPrefix, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 2 }), LIMITS);
    for (const id of ['in-flight', 'retry', 'lost', 'last'])
      await deliveries.publish(newMessage(id));
    const [, retry] = await claimAll(deliveries);
    if (!retry) throw new Error('there are fewer attempts than the rate allows');
    await completeAll(deliveries, [retry], retryIn(0));
    for (const id of ['in-flight', 'retry', 'lost']) {
      expect(await redis.del(`${keyPrefix}:{webhooks}:message:7/${id}`)).toBe(1);
    }
    clock.advance(CLAIM.leaseMs);
    expect(idsOf(await claimAll(deliveries))).toEqual(['last']);
    expect(await deliveries.stats()).toMatchObject({ pending: 1 });
    const listed = await deliveries.list(newWebhook('wh_1'), { limit: 10, after: null });
    expect(idsOf(listed ?? [])).toEqual(['last']);
  });
});

describe('a delivery in Redis', () => {
  async function commandsOf(redis: Redis, work: () => unknown): Promise<number> {
    await redis.config('RESETSTAT');
    await work();
    const stats = await redis.info('commandstats');
    return [...stats.matchAll(/:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
  }

  it('needs as many commands with a backlog of thousands as with a short one', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const redis = connect(server.url);
    const clock = turnableClock();
    const { webhooks, deliveries } = withWebhooks(
      redisStorage(redis, { clock, deadlineMs: PATIENT_MS }),
    );
    const webhook = newWebhook('wh_1', { rateLimit: 100 });
    await webhooks.create(webhook, LIMITS);
    const publish = (id: string) => deliveries.publish(newMessage(id, { maxQueued: 10_000 }));
    const deliver = async (ids: readonly string[]) => {
      for (const id of ids) await publish(id);
      const { attempts } = await claimOnce(deliveries, { limit: ids.length });
      expect(attempts).toHaveLength(ids.length);
      await completeAll(deliveries, attempts, DELIVERED);
    };
    const ten = (from: number) => Array.from({ length: 10 }, (_, i) => `m${from + i}`);
    await deliver(['first']);
    const alone = await commandsOf(redis, () => deliver(['m1']));
    const tenAlone = await commandsOf(redis, () => deliver(ten(10)));
    for (let i = 100; i < 5_000; i += 1) await publish(`m${i}`);
    clock.advance(1000);
    const behind = await commandsOf(redis, () => deliver(['m2']));
    const tenBehind = await commandsOf(redis, () => deliver(ten(20)));
    // By then some starts have left the window of the rate.
    expect(behind).toBeLessThan(alone + 5);
    for (const count of [tenAlone, tenBehind]) expect(count).toBeLessThan(10 * 13);
    await claimAll(deliveries, { limit: 10 });
    // No attempt may start now, so this claim finds nothing to send.
    const emptyClaim = await commandsOf(redis, () => claimOnce(deliveries));
    expect(emptyClaim).toBeLessThan(11);
    const removal = await commandsOf(redis, () => webhooks.remove(webhook));
    expect(removal).toBeLessThan(25);
  });
});
