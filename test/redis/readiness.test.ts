import { randomBytes } from 'node:crypto';
import { type Auth, createAuth, NotReadyError } from '@latchhook/core';
import { redisStorage } from '@latchhook/redis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { connect, connectCluster, uniquePrefix } from '../support/storage/connect-redis.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

type Client = Parameters<typeof redisStorage>[0];

const keys = { refreshSecrets: [randomBytes(32)], encryption: [randomBytes(32)] };

function appOn(client: Client, keyPrefix = uniquePrefix(), deadlineMs = PATIENT_MS): Auth {
  const auth = createAuth({
    issuer: 'https://api.example.com',
    users: { findByUsername: async () => null, findById: async () => null },
    storage: redisStorage(client, { keyPrefix, deadlineMs }),
    personalAccessTokens: false,
    keys,
  });
  onTestFinished(() => auth.close());
  return auth;
}

async function findingsOf(auth: Auth) {
  const error: unknown = await auth.ready().catch((thrown: unknown) => thrown);
  if (error instanceof NotReadyError) return error.findings;
  expect(error).toBeUndefined();
  return [];
}

/** A client of a user with these commands, on keys of one prefix. */
async function connectAs(keyPrefix: string, commands: readonly string[]) {
  const admin = connect();
  const user = uniquePrefix();
  await admin.call('ACL', 'SETUSER', user, 'on', '>word', `~${keyPrefix}:*`, ...commands);
  onTestFinished(async () => void (await admin.call('ACL', 'DELUSER', user)));
  const url = Object.assign(new URL(inject('redisUrl')), { username: user, password: 'word' });
  return connect(url.href, { enableReadyCheck: false });
}

describe('an app on Redis', () => {
  it('is ready and healthy, and leaves no key without TTL', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    const auth = appOn(redis, keyPrefix);
    expect(await findingsOf(auth)).toEqual([]);
    expect(await auth.health()).toEqual({ ok: true, storage: 'ok', signingKey: 'ok' });
    for (const key of await redis.keys(`${keyPrefix}:*`)) {
      expect(await redis.pttl(key), key).toBeGreaterThan(0);
    }
  });

  it('is ready on a Redis Cluster', async () => {
    expect(await findingsOf(appOn(connectCluster()))).toEqual([]);
  });

  it('reports that Redis may evict keys', async () => {
    const server = await startRedisServer({ config: { 'maxmemory-policy': 'allkeys-lru' } });
    onTestFinished(() => server.stop());
    expect(await findingsOf(appOn(connect(server.url)))).toEqual([
      {
        part: 'storage',
        code: 'storage_setting_unsafe',
        message: expect.stringContaining('Set maxmemory-policy to noeviction'),
      },
    ]);
  });

  it('reports all commands that its user may not run', async () => {
    const keyPrefix = uniquePrefix();
    const redis = await connectAs(keyPrefix, ['+@all', '-zadd', '-hset', '-pexpire']);
    expect(await findingsOf(appOn(redis, keyPrefix))).toEqual([
      {
        part: 'storage',
        code: 'storage_not_permitted',
        message: expect.stringContaining('may not run HSET, ZADD, PEXPIRE on keys'),
      },
    ]);
  });

  it('reports that the user of Redis may not run scripts or use the keys', async () => {
    const noScripts = uniquePrefix();
    const redis = await connectAs(noScripts, ['+@all', '-eval', '-evalsha']);
    expect(await findingsOf(appOn(redis, noScripts))).toMatchObject([
      { code: 'storage_not_permitted', message: expect.stringContaining('EVAL') },
    ]);
    const elsewhere = await connectAs(uniquePrefix(), ['+@all']);
    expect(await findingsOf(appOn(elsewhere, uniquePrefix()))).toMatchObject([
      { code: 'storage_not_permitted' },
    ]);
  });

  it('reports a Redis that is down, and is unhealthy on a replica', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const auth = appOn(connect(server.url, { maxRetriesPerRequest: 1 }), uniquePrefix(), 1_000);
    expect((await auth.health()).ok).toBe(true);
    const admin = connect(server.url);
    await admin.call('REPLICAOF', '127.0.0.1', '1');
    expect(await auth.health()).toMatchObject({ ok: false, storage: 'unavailable' });
    await admin.call('REPLICAOF', 'NO', 'ONE');
    expect((await auth.health()).ok).toBe(true);
    await server.kill9();
    expect(await auth.health()).toMatchObject({ ok: false, storage: 'unavailable' });
    expect(await findingsOf(auth)).toMatchObject([
      { part: 'storage', code: 'storage_unavailable' },
    ]);
  });
});
