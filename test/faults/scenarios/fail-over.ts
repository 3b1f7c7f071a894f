import { setTimeout as elapsed } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { tokensOf } from '../../support/apps/app-client.ts';
import type { RunningStarter } from '../../support/apps/start-starter.ts';
import { logInMany } from '../../support/clients/log-in-many.ts';
import { startRedisServer } from '../../support/servers/redis-server.ts';
import { startTcpProxy } from '../../support/servers/tcp-proxy.ts';

const POLL_MS = 20;
const SYNC_TIMEOUT_MS = 10_000;
const RECOVERY_BOUND_MS = 2_000;

export interface FailoverFigures {
  readonly sessions: number;
  readonly rolledForward: number;
  readonly recoveredAfterMs: number;
}

/**
 * The fate of the old master: `killed`, or `demoted` to a replica that still serves its open connections.
 */
export type OldMaster = 'killed' | 'demoted';

/**
 * Rotates sessions, and promotes a replica that has not received the rotations. Then it sends the newest token of half
 * of the sessions, and the previous token of the others.
 */
export async function failOverToLaggingReplica(
  { client, proxy, redis: master }: RunningStarter,
  oldMaster: OldMaster,
  count: number,
): Promise<FailoverFigures> {
  const replication = await startTcpProxy(master.url);
  onTestFinished(() => replication.stop());
  const replica = await startRedisServer({
    config: { replicaof: `127.0.0.1 ${replication.port}` },
  });
  onTestFinished(() => replica.stop());
  const masterClient = connect(master.url);
  const replicaClient = connect(replica.url);

  const sessions = await logInMany(client, 'alan@example.com', count);
  const first = sessions.map(({ refreshToken }) => refreshToken);
  await expect
    .poll(() => replicaClient.info('replication'), { timeout: SYNC_TIMEOUT_MS })
    .toContain('master_link_status:up');
  // WAIT covers only writes of its own connection: with this write, all earlier writes have arrived.
  await masterClient.set('marker', 'after all logins');
  expect(await masterClient.wait(1, 5_000)).toBe(1);
  await replication.blackhole();
  const second = await Promise.all(
    first.map(async (token) => tokensOf(await client.refresh(token)).refreshToken),
  );

  await replicaClient.replicaof('NO', 'ONE');
  if (oldMaster === 'killed') await master.kill9();
  else await masterClient.replicaof(replica.host, replica.port);
  proxy.redirect(replica.url);
  const promotedAtMs = performance.now();

  const half = Math.floor(count / 2);
  const newest = await refreshAfterFailover(second[0] ?? '');
  const recoveredAfterMs = performance.now() - promotedAtMs;
  expect(recoveredAfterMs).toBeLessThan(RECOVERY_BOUND_MS);
  const third = [
    newest,
    ...(await Promise.all(second.slice(1, half).map((token) => refreshAfterFailover(token)))),
  ];
  for (const token of third) expect((await client.refresh(token)).status).toBe(200);

  // These clients send the old token, like after a lost response, and get the same successor.
  const retried = await Promise.all(first.slice(half).map((token) => refreshAfterFailover(token)));
  expect(retried).toEqual(second.slice(half));
  return { sessions: count, rolledForward: half, recoveredAfterMs: Math.round(recoveredAfterMs) };

  async function refreshAfterFailover(token: string): Promise<string> {
    for (;;) {
      const response = await client.refresh(token);
      const isOverdue = performance.now() - promotedAtMs > RECOVERY_BOUND_MS;
      if (response.status !== 503 || isOverdue) return tokensOf(response).refreshToken;
      await elapsed(POLL_MS);
    }
  }
}

function connect(url: string): Redis {
  const redis = new Redis(url);
  redis.on('error', () => {});
  onTestFinished(() => redis.disconnect());
  return redis;
}
