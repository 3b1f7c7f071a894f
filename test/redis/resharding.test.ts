import { hash } from 'node:crypto';
import { StorageUnavailableError } from '@latchhook/core/storage';
import { redisStorage } from '@latchhook/redis';
import { Cluster, type Redis } from 'ioredis';
import { expect, inject, it, onTestFinished } from 'vitest';
import { startRedisCluster } from '../support/servers/redis-cluster.ts';
import { EVERY_MINUTE, newToken } from '../support/storage/credential-samples.ts';
import { ADA, AMPLE_LIMITS, newSession } from '../support/storage/login-samples.ts';
import { retryUntilAvailable } from '../support/storage/retry-until-available.ts';
import {
  LIMITS,
  newMessage,
  newWebhook,
  withWebhooks,
} from '../support/storage/webhook-samples.ts';
import { claimOnce, idsOf } from './claim-samples.ts';

/** The hash tag of the user's keys: see `Keyspace`. */
const TAG_OF_ADA = hash('sha256', ADA, 'base64url').slice(0, 22);

/** A cluster of its own, because a slot that moves disturbs every test that uses it. */
async function openCluster(): Promise<Cluster> {
  const { nodes, stop } = await startRedisCluster();
  const cluster = new Cluster([...nodes]);
  onTestFinished(async () => {
    cluster.disconnect();
    await stop();
  });
  return cluster;
}

/** Moves a slot to another node as `redis-cli --cluster reshard` does, in two steps. */
async function beginMove(cluster: Cluster, hashTag: string) {
  const slot = await cluster.cluster('KEYSLOT', `{${hashTag}}`);
  const nodes = cluster.nodes('master');
  const counts = await Promise.all(nodes.map((node) => node.cluster('COUNTKEYSINSLOT', slot)));
  const from = counts.findIndex((count) => Number(count) > 0);
  const [source, target] = [nodes[from], nodes[(from + 1) % nodes.length]] as [Redis, Redis];
  const [sourceId, targetId] = [await source.cluster('MYID'), await target.cluster('MYID')];
  await target.cluster('SETSLOT', slot, 'IMPORTING', String(sourceId));
  await source.cluster('SETSLOT', slot, 'MIGRATING', String(targetId));
  const { host = '', port = 0 } = target.options;
  async function moveKeys(isMoved: (key: string) => boolean): Promise<void> {
    const keys = (await source.cluster('GETKEYSINSLOT', slot, 1_000)) as string[];
    const moved = keys.filter(isMoved);
    expect(moved).not.toEqual([]);
    await source.call('MIGRATE', host, port, '', 0, 5_000, 'KEYS', ...moved);
  }
  return {
    moveKeys,
    async end() {
      await moveKeys(() => true);
      for (const node of [target, source]) {
        await node.cluster('SETSLOT', slot, 'NODE', String(targetId));
      }
    },
  };
}

it.skipIf(inject('redisClusterNodes').length === 0)(
  'logins and calls about webhooks and personal access tokens reject while a Cluster moves their slot, and lose nothing',
  async () => {
    const cluster = await openCluster();
    const storage = redisStorage(cluster, { partitions: 1, deadlineMs: 500 });
    const { webhooks, deliveries } = withWebhooks(storage);
    const { sessions } = storage;
    const session = newSession('s1');
    const tokens = storage.personalAccessTokens;
    const webhook = newWebhook('wh_1');
    const token = newToken('t1');
    const use = () => tokens?.use(token.tokenHash, EVERY_MINUTE);
    await retryUntilAvailable(() => webhooks.create(webhook, LIMITS));
    await retryUntilAvailable(() => deliveries.publish(newMessage('m1')));
    await retryUntilAvailable(async () => tokens?.create(token, { maxPerUser: 10 }));

    await retryUntilAvailable(() => sessions.create(session, AMPLE_LIMITS));

    const tags = ['webhooks', 'pats', TAG_OF_ADA];
    const moves = await Promise.all(tags.map((tag) => beginMove(cluster, tag)));
    const expectRejections = async () => {
      const calls = [
        deliveries.publish(newMessage('m2')),
        webhooks.find(webhook),
        claimOnce(deliveries),
        use(),
        sessions.create(newSession('s2'), AMPLE_LIMITS),
      ];
      for (const result of await Promise.allSettled(calls)) {
        expect(result).toMatchObject({ reason: expect.any(StorageUnavailableError) });
      }
      expect(await sessions.isLive(session)).toBe(true);
    };
    await expectRejections();
    for (const { moveKeys } of moves)
      await moveKeys((key) => /:(?:webhook|event|token):|:live$/.test(key));
    await expectRejections();
    for (const { end } of moves) await end();

    await retryUntilAvailable(() => deliveries.publish(newMessage('m3')));
    await expect.poll(use).toMatchObject({ tokenId: 't1' });
    expect(await sessions.isLive(session)).toBe(true);
    // A rejected call may have been repeated before its deadline, once the move had ended.
    const ids = idsOf((await claimOnce(deliveries)).attempts);
    expect(ids.filter((id) => id !== 'm2')).toEqual(['m1', 'm3']);
  },
);
