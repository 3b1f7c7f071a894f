import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type RedisServer, startRedisServer } from '../support/servers/redis-server.ts';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import {
  credentialStores,
  EVERY_MINUTE,
  enrol,
  newToken,
} from '../support/storage/credential-samples.ts';
import { ADA, AMPLE_LIMITS } from '../support/storage/login-samples.ts';

const HOUR_MS = 3_600_000;
const FIRST_PAGE = { limit: 100, after: null } as const;

async function startServer(): Promise<RedisServer> {
  const server = await startRedisServer();
  onTestFinished(() => server.stop());
  return server;
}

/** How often a command was called, by clients and by scripts. */
async function callsOf({ url }: RedisServer, command: string): Promise<number> {
  const info = await connect(url).info('commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
}

describe('personal access tokens in Redis', () => {
  it('have a TTL on every key', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    const { tokens } = credentialStores(redis, { keyPrefix });
    await tokens.create(newToken('t1'), AMPLE_LIMITS);
    await tokens.create(newToken('t2', { ttlMs: HOUR_MS }), AMPLE_LIMITS);
    await tokens.use('hash of t1', EVERY_MINUTE);
    await tokens.revoke(newToken('t2'));

    const keys = await redis.keys(`${keyPrefix}:{*`);
    expect(keys).toHaveLength(3);
    const ttls = await Promise.all(keys.map((key) => redis.pttl(key)));
    expect(ttls.filter((ttl) => ttl <= 0)).toEqual([]);
  });

  it('have a TTL of a minute at most once they are revoked', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    const { tokens } = credentialStores(redis, { keyPrefix });
    for (const id of ['t1', 't2', 't3']) await tokens.create(newToken(id), AMPLE_LIMITS);
    await tokens.revoke(newToken('t1'));
    await tokens.revokeByHash('hash of t2');
    await tokens.revokeAll(ADA);
    for (const key of await redis.keys(`${keyPrefix}*:token:*`)) {
      expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
    }
    expect(await redis.keys(`${keyPrefix}*:live:*`)).toEqual([]);
  });

  it('are removed from the list of their user once expired', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    const clock = turnableClock();
    const { tokens } = credentialStores(redis, { keyPrefix, clock });
    await tokens.create(newToken('long'), AMPLE_LIMITS);
    for (let i = 0; i < 20; i += 1) {
      await tokens.create(newToken(`t${i}`, { ttlMs: 1000 }), AMPLE_LIMITS);
    }
    clock.advance(1000);
    const [live = ''] = await redis.keys(`${keyPrefix}*:live:*`);
    expect(await redis.zcard(live)).toBe(21);
    await tokens.list(ADA, FIRST_PAGE);
    expect(await redis.zcard(live)).toBe(1);
  });

  it('are removed from the list of their user if their records are gone', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    const { tokens } = credentialStores(redis, { keyPrefix });
    await tokens.create(newToken('t1'), { maxPerUser: 1 });
    await redis.del(await redis.keys(`${keyPrefix}*:token:*`));
    expect(await tokens.list(ADA, FIRST_PAGE)).toEqual([]);
    expect((await tokens.create(newToken('t2'), { maxPerUser: 1 })).outcome).toBe('created');
  });

  it('are used in one round trip, which records the use once per touchEveryMs', async () => {
    const server = await startServer();
    const clock = turnableClock();
    const { tokens } = credentialStores(connect(server.url), { clock });
    await tokens.create(newToken('t1'), AMPLE_LIMITS);
    await tokens.use('hash of t1', EVERY_MINUTE);
    const [scripts, writes] = [await callsOf(server, 'evalsha'), await callsOf(server, 'hset')];
    for (let second = 0; second < 60; second += 1) {
      clock.advance(1000);
      await tokens.use('hash of t1', EVERY_MINUTE);
    }
    expect((await callsOf(server, 'evalsha')) - scripts).toBe(60);
    expect((await callsOf(server, 'hset')) - writes).toBe(1);
  });

  it('can be used and revoked if memory is full, but the use is not recorded', async () => {
    const server = await startServer();
    const redis = connect(server.url);
    const { tokens } = credentialStores(redis);
    for (const id of ['t1', 't2', 't3']) await tokens.create(newToken(id), AMPLE_LIMITS);
    await redis.config('SET', 'maxmemory', '1');
    await expect(tokens.create(newToken('t4'), AMPLE_LIMITS)).rejects.toThrow(/OOM/);

    expect(await tokens.use('hash of t1', EVERY_MINUTE)).toMatchObject({ lastUsedAtMs: null });
    expect(await tokens.revoke(newToken('t1'))).toBe(true);
    expect(await tokens.use('hash of t1', EVERY_MINUTE)).toBeNull();
    expect(await tokens.revokeByHash('hash of t2')).toMatchObject({ tokenId: 't2' });
    expect(await tokens.revokeAll(ADA)).toBe(1);
    expect(await tokens.list(ADA, FIRST_PAGE)).toEqual([]);
  });

  it('work with a key prefix of the client', async () => {
    const { tokens } = credentialStores(connect(undefined, { keyPrefix: 'host:' }), {
      keyPrefix: uniquePrefix(),
    });
    await tokens.create(newToken('t1'), AMPLE_LIMITS);
    expect(await tokens.use('hash of t1', EVERY_MINUTE)).toMatchObject({ tokenId: 't1' });
    expect(await tokens.revokeAll(ADA)).toBe(1);
  });
});

describe('second factors in Redis', () => {
  it('have no TTL, while pending enrolments have one', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    const { mfa } = credentialStores(redis, { keyPrefix });
    await enrol(mfa);
    await mfa.begin(ADA, {
      sessionId: 's1',
      enrolmentId: 'e2',
      encryptedSecret: 'encrypted',
      ttlMs: 600_000,
    });
    const ttlOf = async (kind: string) => {
      const [key = ''] = await redis.keys(`${keyPrefix}*:${kind}`);
      return redis.pttl(key);
    };
    expect(await ttlOf('factor')).toBe(-1);
    expect(await ttlOf('codes')).toBe(-1);
    expect(await ttlOf('pending')).toBeGreaterThan(590_000);
    expect(await ttlOf('pending')).toBeLessThanOrEqual(600_000 + HOUR_MS);
  });

  it('leave no key when they are removed', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    const { mfa } = credentialStores(redis, { keyPrefix });
    await enrol(mfa);
    await mfa.begin(ADA, {
      sessionId: 's1',
      enrolmentId: 'e2',
      encryptedSecret: 'encrypted',
      ttlMs: 600_000,
    });
    expect(await redis.keys(`${keyPrefix}:{*`)).toHaveLength(3);
    await mfa.remove(ADA);
    expect(await redis.keys(`${keyPrefix}:{*`)).toEqual([]);
  });

  it('can be used and removed if memory is full, and are stored completely or not at all', async () => {
    const server = await startServer();
    const redis = connect(server.url);
    const { mfa } = credentialStores(redis);
    await enrol(mfa);
    await mfa.begin(ADA, {
      sessionId: 's1',
      enrolmentId: 'e2',
      encryptedSecret: 'other',
      ttlMs: 600_000,
    });
    const factor = await mfa.find(ADA);
    await redis.config('SET', 'maxmemory', '1');

    const confirmation = { sessionId: 's1', enrolmentId: 'e2', recoveryCodeHashes: ['new'] };
    await expect(mfa.confirm(ADA, confirmation)).rejects.toThrow(/OOM/);
    await expect(mfa.replaceRecoveryCodes(ADA, ['new'])).rejects.toThrow(/OOM/);
    expect(await mfa.find(ADA)).toEqual(factor);
    expect((await mfa.findPending(ADA, 's1'))?.enrolmentId).toBe('e2');
    expect(await mfa.consumeRecoveryCode(ADA, 'code 0')).toBe(true);
    expect(await mfa.remove(ADA)).toBe(true);
    expect(await mfa.find(ADA)).toBeNull();
  });
});
