import { type ClaimedAttempt, originOf } from '@latchhook/core/storage';
import { redisStorage } from '@latchhook/redis';
import { Cluster } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { startRedisCluster } from '../support/servers/redis-cluster.ts';
import { connect, connectCluster, uniquePrefix } from '../support/storage/connect-redis.ts';
import { LIMITS, newMessage, newWebhook } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const REQUEST = {
  limit: 10,
  leaseMs: 20_000,
  rateMarginMs: 0,
  maxStalledAttempts: 5,
  maxInFlightPerWebhook: 10,
  maxInFlightPerAccount: 10,
};
const ENDING = { disableAfterMs: 1_000_000 };
const ACCOUNTS = Array.from({ length: 48 }, (_, i) => i + 1);

type Stores = ReturnType<typeof redisStorage>;

async function publishToAll({ webhooks, deliveries }: Stores): Promise<void> {
  for (const accountId of ACCOUNTS) {
    await webhooks.create(newWebhook('wh_1', { accountId }), LIMITS);
    await deliveries.publish(newMessage('m1', { accountId }));
  }
}

/** Claims until no attempt may start now. */
async function claimAll({ deliveries }: Stores): Promise<readonly ClaimedAttempt[]> {
  const all: ClaimedAttempt[] = [];
  for (;;) {
    const { attempts, nextInMs } = await deliveries.claim(REQUEST);
    all.push(...attempts);
    if (nextInMs !== 0) return all;
  }
}

function accountsOf(attempts: readonly ClaimedAttempt[]): readonly number[] {
  return attempts.map(({ accountId }) => Number(accountId)).toSorted((a, b) => a - b);
}

describe.skipIf(inject('redisClusterNodes').length === 0)('partitions on a Redis Cluster', () => {
  it('spread deliveries over all nodes, with each account in one slot', async () => {
    const cluster = connectCluster();
    const keyPrefix = uniquePrefix();
    const storage = redisStorage(cluster, { keyPrefix, deadlineMs: PATIENT_MS });
    await publishToAll(storage);
    const masters = cluster.nodes('master');
    const messages = await Promise.all(
      masters.map((node) => node.keys(`${keyPrefix}:{*}:message:*`)),
    );
    expect(messages.map((keys) => keys.length > 0)).toEqual([true, true, true]);
    expect(messages.flat()).toHaveLength(ACCOUNTS.length);
    // The slots of the keys of each account. Keys of no account are under `none`.
    const slots = new Map<string, Set<unknown>>();
    for (const key of (
      await Promise.all(masters.map((node) => node.keys(`${keyPrefix}:{*`)))
    ).flat()) {
      const account = /:(\d+)\//.exec(key)?.[1] ?? 'none';
      slots.set(
        account,
        (slots.get(account) ?? new Set()).add(await cluster.cluster('KEYSLOT', key)),
      );
    }
    expect(ACCOUNTS.map((account) => slots.get(String(account))?.size)).toEqual(
      ACCOUNTS.map(() => 1),
    );

    expect(await storage.deliveries.stats()).toMatchObject({ pending: ACCOUNTS.length });
    const attempts = await claimAll(storage);
    expect(accountsOf(attempts)).toEqual(ACCOUNTS);
    const ends = attempts.map((attempt) => ({
      ...attempt,
      outcome: { kind: 'delivered' } as const,
      result: { status: 200, durationMs: 1, error: null },
      backoffMs: 0,
      url: attempt.webhook.url,
    }));
    const completed = await storage.deliveries.complete(ends, ENDING);
    expect(completed.filter(({ outcome }) => outcome === 'completed')).toHaveLength(
      ACCOUNTS.length,
    );
    expect(await storage.deliveries.stats()).toEqual({ pending: 0, oldestDueAgeMs: 0 });

    const listed = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Awaited<ReturnType<Stores['webhooks']['listEncrypted']>> =
        await storage.webhooks.listEncrypted({ limit: 2, cursor: cursor || null });
      listed.push(...page.items.map(({ owner }) => Number(owner.accountId)));
      cursor = page.nextCursor;
    }
    expect(listed.toSorted((a, b) => a - b)).toEqual(ACCOUNTS);
  });

  it('serve the accounts of the remaining nodes while a node is down', async () => {
    const servers = await startRedisCluster({ 'cluster-require-full-coverage': 'no' });
    const cluster = new Cluster([...servers.nodes], {
      redisOptions: { maxRetriesPerRequest: 0 },
      clusterRetryStrategy: () => 10,
    });
    cluster.on('error', () => {});
    try {
      const storage = redisStorage(cluster, { deadlineMs: 500 });
      await publishToAll(storage);
      const [node] = cluster.nodes('master');
      const accountsOnNode = new Set(
        (await node?.keys('latchhook:{*}:message:*'))?.map((key) =>
          Number(/:(\d+)\//.exec(key)?.[1]),
        ),
      );
      await servers.servers.find(({ port }) => port === node?.options.port)?.stop();
      const attempts = await claimAll(storage);
      expect(accountsOnNode.size).toBeGreaterThan(0);
      expect(accountsOf(attempts)).toEqual(
        ACCOUNTS.filter((account) => !accountsOnNode.has(account)),
      );
    } finally {
      cluster.disconnect();
      await servers.stop();
    }
  });
});

it('ready() reports a number of partitions that differs from that of the first instance', async () => {
  const keyPrefix = uniquePrefix();
  const findingsOf = async (partitions: number, part: 'webhooks' | 'sessions') => {
    const storage = redisStorage(connect(), { keyPrefix, partitions, deadlineMs: PATIENT_MS });
    return originOf(storage[part])?.startup?.findings([part]);
  };
  for (const partitions of [4, 4]) expect(await findingsOf(partitions, 'webhooks')).toEqual([]);
  expect(await findingsOf(1, 'webhooks')).toEqual([
    {
      code: 'storage_setting_unsafe',
      message: expect.stringContaining('pass partitions: 4 to redisStorage'),
    },
  ]);
  expect(await findingsOf(1, 'sessions')).toEqual([]);
});

it('ready() reads the number of partitions from the master, as a replica may not have it yet', async () => {
  const redis = connect();
  redis.get = async () => null;
  const { webhooks } = redisStorage(redis, { keyPrefix: uniquePrefix(), deadlineMs: PATIENT_MS });
  expect(await originOf(webhooks)?.startup?.findings(['webhooks'])).toEqual([]);
});
