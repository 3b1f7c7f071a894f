import { type RedisStorageOptions, redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import type { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { connect, connectCluster, uniquePrefix } from '../support/storage/connect-redis.ts';
import { EXPECTED_RESULTS, everyTransition } from '../support/storage/every-transition.ts';
import { ADA } from '../support/storage/login-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

describe('the keys of redisStorage', () => {
  it('have a TTL after every kind of call', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    const clock = turnableClock();
    const storage = redisStorage(redis, { keyPrefix, clock, deadlineMs: PATIENT_MS });
    expect(await everyTransition(storage, clock, ADA)).toEqual(EXPECTED_RESULTS);

    const keys = await redis.keys(`${keyPrefix}*`);
    expect(keys.length).toBeGreaterThan(8);
    const ttls = await Promise.all(keys.map((key) => redis.pttl(key)));
    expect(ttls.filter((ttl) => ttl <= 0)).toEqual([]);
  });

  it('work with a key prefix of the client', async () => {
    const prefixed = connect(undefined, { keyPrefix: 'host:' });
    const keyPrefix = uniquePrefix();
    const clock = turnableClock();
    const storage = redisStorage(prefixed, { keyPrefix, clock, deadlineMs: PATIENT_MS });
    expect(await everyTransition(storage, clock, ADA)).toEqual(EXPECTED_RESULTS);
    expect(await connect().keys(`${keyPrefix}*`)).toEqual([]);
  });

  it.skipIf(inject('redisClusterNodes').length === 0)(
    'share one slot per user on a Redis Cluster',
    async () => {
      const cluster = connectCluster();
      const keyPrefix = uniquePrefix();
      const clock = turnableClock();
      const storage = redisStorage(cluster, { keyPrefix, clock, deadlineMs: PATIENT_MS });
      // Enough users to reach every node, with braces in their ids, which mark hash tags in Redis.
      const users = Array.from({ length: 24 }, (_, i) => `{${i}}user}{`);
      for (const user of users) {
        expect(await everyTransition(storage, clock, user)).toEqual(EXPECTED_RESULTS);
      }

      const masters = cluster.nodes('master');
      const keysOf = await Promise.all(masters.map((node) => node.keys(`${keyPrefix}:{*`)));
      expect(keysOf.filter((keys) => keys.length > 0)).toHaveLength(masters.length);
      const slotsOf = new Map<string, Set<unknown>>();
      for (const key of keysOf.flat()) {
        const tag = /\{(.*?)\}/.exec(key)?.[1] ?? '';
        const slots = slotsOf.get(tag) ?? new Set();
        slotsOf.set(tag, slots.add(await cluster.cluster('KEYSLOT', key)));
      }
      expect(slotsOf.size).toBe(users.length);
      expect([...slotsOf.values()].filter((slots) => slots.size > 1)).toEqual([]);
    },
  );
});

describe('redisStorage', () => {
  it('rejects braces in the option keyPrefix', () => {
    expect(() => redisStorage(connect(), { keyPrefix: 'a{}b' })).toThrow(
      '[redis_key_prefix_invalid]',
    );
  });

  it.each([undefined, null, 'redis://localhost', { host: 'localhost' }])(
    'rejects %j instead of a client',
    (client) => {
      expect(() => redisStorage(client as unknown as Redis)).toThrow(/redisStorage\(new Redis\(/);
    },
  );

  it('rejects a misspelt option', () => {
    const options = { keyprefix: 'mine' } as RedisStorageOptions;
    expect(() => redisStorage(connect(), options)).toThrow(/^redisStorage knows no "keyprefix"/);
  });
});
