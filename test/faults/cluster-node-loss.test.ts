import { setTimeout as elapsed } from 'node:timers/promises';
import type { User } from '@latchhook/core';
import { redisStorage } from '@latchhook/redis';
import { Cluster, Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { type AppResponse, tokensOf } from '../support/apps/app-client.ts';
import { startHostApp } from '../support/apps/start-host-app.ts';
import { startRedisCluster } from '../support/servers/redis-cluster.ts';
import { reportFigures } from './report-figures.ts';

const USERS = 30;
const ROUNDS = 5;
const BOUND_MS = 2_000;

it('a Redis Cluster without one of three nodes serves the users of the other nodes, and all users after its return', async () => {
  const cluster = await startRedisCluster({
    appendonly: 'yes',
    'cluster-require-full-coverage': 'no',
  });
  onTestFinished(() => cluster.stop());
  const redis = new Cluster([...cluster.nodes], {
    clusterRetryStrategy: (attempt) => Math.min(50 * attempt, 500),
    redisOptions: { connectTimeout: 1_000, socketTimeout: 1_500, maxRetriesPerRequest: 1 },
  });
  redis.on('error', () => {});
  onTestFinished(() => redis.disconnect());
  const user = (id: string): User => ({ id, accounts: [1], passwordHash: null });
  const { client } = await startHostApp({
    users: {
      findByUsername: async (name) => user(name),
      findById: async (id) => user(id),
    },
    storage: redisStorage(redis),
    throttle: false,
    passwords: { verifier: async () => true },
    onSecurityEvent: () => {},
  });
  const names = Array.from({ length: USERS }, (_, index) => `user-${index}@example.com`);
  let newest = await Promise.all(
    names.map(async (name) => tokensOf(await client.login(name)).refreshToken),
  );

  // One node is down: its users get 503, the others are served.
  const [lost] = cluster.servers;
  await lost?.kill9();
  const responses: AppResponse[] = [];
  let served = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const refreshes = await Promise.all(newest.map((token) => client.refresh(token)));
    responses.push(...refreshes);
    newest = newest.map((token, index) => {
      const response = refreshes[index];
      return response?.status === 200 ? tokensOf(response).refreshToken : token;
    });
    served = new Set(refreshes.flatMap(({ status }, index) => (status === 200 ? [index] : [])));
    await elapsed(200);
  }
  const statuses = responses.map(({ status }) => status);
  const slowestMs = Math.max(...responses.map(({ tookMs }) => tookMs));

  // Once it is back, a retry with the same token succeeds for everyone.
  await lost?.restart();
  await untilServing(lost?.url ?? '');
  const backAtMs = performance.now();
  await expect
    .poll(
      async () => {
        const retried = await Promise.all(newest.map((token) => client.refresh(token)));
        return new Set(retried.map(({ status }) => status));
      },
      { timeout: 10_000, interval: 50 },
    )
    .toEqual(new Set([200]));
  const recoveredAfterMs = performance.now() - backAtMs;

  reportFigures('cluster of three without one', {
    users: USERS,
    servedMeanwhile: served.size,
    ok: statuses.filter((status) => status === 200).length,
    unavailable: statuses.filter((status) => status === 503).length,
    slowestMs: Math.round(slowestMs),
    recoveredAfterMs: Math.round(recoveredAfterMs),
  });
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  expect(slowestMs).toBeLessThan(BOUND_MS);
  expect(served.size).toBeGreaterThan(USERS / 3);
  expect(served.size).toBeLessThan(USERS);
  expect(recoveredAfterMs).toBeLessThan(BOUND_MS);
});

/** Waits until a restarted master accepts queries: it rejects them for two seconds, in case it was replaced. */
async function untilServing(url: string): Promise<void> {
  const node = new Redis(url);
  onTestFinished(() => node.disconnect());
  await expect
    .poll(() => node.call('CLUSTER', 'INFO'), { timeout: 10_000, interval: 20 })
    .toContain('cluster_state:ok');
}
