import type { MfaStore } from '@latchhook/core/storage';
import { redisStorage } from '@latchhook/redis';
import { describe, expect, inject, it } from 'vitest';
import { connect, connectCluster, uniquePrefix } from '../support/storage/connect-redis.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

type Client = Parameters<typeof redisStorage>[0];

function factorsIn(client: Client, keyPrefix: string): MfaStore {
  const { mfa } = redisStorage(client, { keyPrefix, deadlineMs: PATIENT_MS });
  if (mfa === undefined) throw new Error('Redis keeps no factors');
  return mfa;
}

async function enrol(mfa: MfaStore, userId: string): Promise<void> {
  await mfa.begin(userId, {
    sessionId: 's1',
    enrolmentId: 'e1',
    encryptedSecret: 'encrypted',
    ttlMs: 60_000,
  });
  await mfa.confirm(userId, { sessionId: 's1', enrolmentId: 'e1', recoveryCodeHashes: ['hash'] });
}

async function walk(mfa: MfaStore): Promise<readonly string[]> {
  const owners: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await mfa.listEncrypted({ limit: 10, cursor });
    owners.push(...page.items.map(({ owner }) => owner));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return [...new Set(owners)].sort();
}

describe('listing the factors in Redis', () => {
  it('finds only the factors of its key prefix, even with glob characters in the prefix', async () => {
    const prefix = uniquePrefix();
    const [wild, other] = [`${prefix}*[a-z]?\\`, `${prefix}-other`];
    await enrol(factorsIn(connect(), wild), 'ada');
    await enrol(factorsIn(connect(), other), 'grace');
    expect(await walk(factorsIn(connect(), wild))).toEqual(['ada']);
    expect(await walk(factorsIn(connect(), other))).toEqual(['grace']);
  });

  it('does not find a key of another kind whose user id contains the pattern of factor keys', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    await enrol(factorsIn(redis, keyPrefix), 'ada');
    await redis.zadd(`${keyPrefix}:{pats}:live:aaaaaaaaaaaaaaa}:factor`, 1, 'hash');
    expect(await walk(factorsIn(redis, keyPrefix))).toEqual(['ada']);
  });

  it('works with a key prefix of the client', async () => {
    const mfa = factorsIn(connect(undefined, { keyPrefix: 'host[1]:' }), uniquePrefix());
    await enrol(mfa, 'ada');
    expect(await walk(mfa)).toEqual(['ada']);
    expect(
      await mfa.replaceEncrypted('ada', { expected: 'encrypted', replacement: 'reencrypted' }),
    ).toBe(true);
  });

  describe.skipIf(inject('redisClusterNodes').length === 0)('on a Redis Cluster', () => {
    it('covers every node', async () => {
      const keyPrefix = uniquePrefix();
      const mfa = factorsIn(connectCluster(), keyPrefix);
      const users = Array.from({ length: 40 }, (_, i) => `user ${i}`).sort();
      for (const userId of users) await enrol(mfa, userId);
      // With a client that has not connected yet, and so knows no nodes.
      expect(await walk(factorsIn(connectCluster(), keyPrefix))).toEqual(users);
    });

    it('rejects if the node of its cursor is gone', async () => {
      const mfa = factorsIn(connectCluster(), uniquePrefix());
      await expect(mfa.listEncrypted({ limit: 10, cursor: '192.0.2.1:6379 17' })).rejects.toThrow(
        'A master of the cluster went',
      );
    });
  });
});
