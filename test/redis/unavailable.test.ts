import { StorageUnavailableError } from '@latchhook/core/storage';
import { redisStorage } from '@latchhook/redis';
import type { Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { ADVISED_REDIS_OPTIONS } from '../support/servers/advised-redis-options.ts';
import {
  type RedisConfig,
  type RedisServer,
  startRedisServer,
} from '../support/servers/redis-server.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import { ADA, AMPLE_LIMITS, newSession, rotateRequest } from '../support/storage/login-samples.ts';
import {
  expectSessionGoesOn,
  retryUntilAvailable,
} from '../support/storage/retry-until-available.ts';
import { within } from '../support/time/own-time.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

async function startServer(config: RedisConfig = {}): Promise<RedisServer> {
  const server = await startRedisServer({ config });
  onTestFinished(() => server.stop());
  return server;
}

describe('redisStorage with an unavailable Redis', () => {
  it('rejects calls of stores and limiters at its deadline', async () => {
    const proxy = await startTcpProxy(inject('redisUrl'));
    onTestFinished(() => proxy.stop());
    const { sessions, limiters } = redisStorage(connect(proxy.url), {
      keyPrefix: uniquePrefix(),
      deadlineMs: 100,
    });
    const limiter = limiters?.({ keyPrefix: 'failures', duration: 60 });
    await retryUntilAvailable(() => sessions.list(ADA));
    await retryUntilAvailable(async () => limiter?.penalty('ada'));

    await proxy.blackhole();
    const calls = [sessions.rotate(rotateRequest(1)), sessions.list(ADA), limiter?.penalty('ada')];
    for (const call of await within(1_000, Promise.allSettled(calls))) {
      expect(call).toMatchObject({ reason: expect.any(StorageUnavailableError) });
    }
  });

  it('recovers within the time of a reconnect once the server is back', async () => {
    const server = await startServer({ appendonly: 'yes', appendfsync: 'always' });
    await redisStorage(connect(server.url), { deadlineMs: PATIENT_MS }).sessions.create(
      newSession('s1'),
      AMPLE_LIMITS,
    );
    const { sessions } = redisStorage(connect(server.url), { deadlineMs: 100 });
    await retryUntilAvailable(() => sessions.list(ADA));
    await server.kill9();
    await expect(sessions.rotate(rotateRequest(1))).rejects.toThrow(StorageUnavailableError);
    await server.restart();
    await within(2_000, expectSessionGoesOn(sessions));
  });

  it('rejects writes and liveness checks on a replica with READONLY', async () => {
    const master = await startServer();
    const replica = await startServer({ replicaof: `${master.host} ${master.port}` });
    const { sessions } = redisStorage(connect(replica.url), { deadlineMs: PATIENT_MS });
    await expect(sessions.create(newSession('s1'), AMPLE_LIMITS)).rejects.toThrow(/READONLY/);
    await expect(sessions.isLive(newSession('s1'))).rejects.toThrow(/READONLY/);
  });

  it('sends one command per call to a replica, with the advised client options', async () => {
    const replica = await startServer({ replicaof: '127.0.0.1 1' });
    const { sessions, limiters } = redisStorage(connect(replica.url, ADVISED_REDIS_OPTIONS), {
      deadlineMs: PATIENT_MS,
    });
    const limiter = limiters?.({ keyPrefix: 'failures', duration: 60 });
    const ask = async () => {
      await expect(sessions.create(newSession('s1'), AMPLE_LIMITS)).rejects.toThrow(/READONLY/);
      await expect(limiter?.penalty('ada')).rejects.toThrow(/READONLY/);
    };
    await ask();
    const before = await commandCount(replica);
    for (let round = 0; round < 3; round += 1) await ask();
    expect((await commandCount(replica)) - before).toBe(6);
  });

  it('puts no argument into the message or the cause of an error', async () => {
    const replica = await startServer({
      replicaof: '127.0.0.1 1',
      'replica-serve-stale-data': 'no',
    });
    const { sessions } = redisStorage(connect(replica.url, { enableReadyCheck: false }), {
      deadlineMs: PATIENT_MS,
    });
    const error: unknown = await sessions
      .create(newSession('s1', { userAgent: 'canary' }), AMPLE_LIMITS)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StorageUnavailableError);
    expect(JSON.stringify(error, deepProperties)).toContain('MASTERDOWN');
    expect(JSON.stringify(error, deepProperties)).not.toMatch(/canary|user-ada|command/);
  });

  it('stores no session if memory is full', async () => {
    const server = await startServer();
    const redis = connect(server.url);
    const { sessions } = redisStorage(redis, { deadlineMs: PATIENT_MS });
    await sessions.create(newSession('s1'), AMPLE_LIMITS);
    await redis.config('SET', 'maxmemory', '1');
    await expect(sessions.create(newSession('s2'), AMPLE_LIMITS)).rejects.toThrow(/OOM/);
    await redis.config('SET', 'maxmemory', '0');
    expect((await sessions.list(ADA)).map(({ sessionId }) => sessionId)).toEqual(['s1']);
  });

  it('revokes sessions even if memory is full', async () => {
    const server = await startServer();
    const redis = connect(server.url);
    const { sessions } = redisStorage(redis, { deadlineMs: PATIENT_MS });
    for (const id of ['s1', 's2', 's3']) await sessions.create(newSession(id), AMPLE_LIMITS);
    await redis.config('SET', 'maxmemory', '1');
    await expect(sessions.rotate(rotateRequest(1))).rejects.toThrow(/OOM/);

    expect(await sessions.revoke(newSession('s1'))).toBe(true);
    expect(await sessions.isLive(newSession('s1'))).toBe(false);
    await sessions.revokeAll(ADA);
    expect(await sessions.list(ADA)).toEqual([]);
    await redis.config('SET', 'maxmemory', '0');
    expect(await sessions.rotate(rotateRequest(1))).toEqual({ outcome: 'revoked' });
  });
});

describe('redisStorage and the script cache', () => {
  it('sends scripts again if the cache is flushed during calls', async () => {
    const server = await startServer();
    const redis = connect(server.url);
    const { sessions, limiters } = redisStorage(redis, { deadlineMs: PATIENT_MS });
    const limiter = limiters?.({ keyPrefix: 'failures', duration: 60 });
    await sessions.create(newSession('s1'), AMPLE_LIMITS);
    const outcomes: string[] = [];
    for (let generation = 1; generation <= 20; generation += 1) {
      const [rotated] = await Promise.all([
        sessions.rotate(rotateRequest(generation)),
        limiter?.penalty('ada'),
        redis.script('FLUSH'),
      ]);
      outcomes.push(rotated.outcome);
    }
    expect(new Set(outcomes)).toEqual(new Set(['rotated']));
    expect(await limiter?.get('ada', [])).toMatchObject([{ consumedPoints: 20 }]);
  });

  it('needs one round trip per call', async () => {
    const server = await startServer();
    const { sessions } = redisStorage(connect(server.url), { deadlineMs: PATIENT_MS });
    await sessions.create(newSession('s1'), AMPLE_LIMITS);
    await sessions.rotate(rotateRequest(1));
    await sessions.isLive(newSession('s1'));
    const before = await commandCount(server);
    await sessions.rotate(rotateRequest(2));
    await sessions.isLive(newSession('s1'));
    expect((await commandCount(server)) - before).toBe(2);
  });
});

describe('the Redis client of the host', () => {
  it('gets no listeners, properties or scripts', async () => {
    const redis = connect();
    await redis.ping();
    const before = traces(redis);
    const { sessions, limiters } = redisStorage(redis, {
      keyPrefix: uniquePrefix(),
      deadlineMs: PATIENT_MS,
    });
    await sessions.create(newSession('s1'), AMPLE_LIMITS);
    await limiters?.({ keyPrefix: 'failures', duration: 60 }).penalty('ada');
    expect(traces(redis)).toEqual(before);
  });
});

function traces(redis: Redis): unknown {
  return [
    Object.getOwnPropertyNames(redis).sort(),
    Object.keys(redis.scriptsSet),
    redis.eventNames().map((name) => [name, redis.listenerCount(name)]),
  ];
}

/** The number of scripts that clients have called. Redis counts the commands inside scripts under other names. */
async function commandCount({ url }: RedisServer): Promise<number> {
  const info = await connect(url).info('commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1]);
}

function deepProperties(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return { ...value, message: value.message, cause: value.cause };
}
