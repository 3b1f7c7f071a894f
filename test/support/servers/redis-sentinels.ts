import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { outputLine } from '../apps/output-line.ts';
import { startProcessGroup } from '../apps/process-group.ts';
import { environmentOf } from './fetch-debian-program.ts';
import { requireRedisServer } from './find-redis-server.ts';
import type { RedisNode } from './redis-cluster.ts';
import { type RedisConfig, type RedisServer, startRedisServer } from './redis-server.ts';
import { startOnFreePort } from './start-on-free-port.ts';

/** A master with two replicas, and three Sentinels that replace it when it dies. */
export interface SentinelGroup {
  /** For `new Redis({ sentinels, name })` of ioredis. */
  readonly sentinels: readonly RedisNode[];
  readonly name: string;
  readonly master: RedisServer;
  readonly replicas: readonly RedisServer[];
}

const NAME = 'main';
const SENTINELS = 3;
const REPLICAS = 2;
/** The silence after which a Sentinel considers the master dead, ms. */
const DOWN_AFTER_MS = 1_000;
/** If the Sentinels elect no leader, they try again after twice this time, ms. */
const FAILOVER_TIMEOUT_MS = 2_000;

/**
 * Starts all servers on loopback ports, until the end of the test, and waits until the Sentinels know each other and
 * both replicas, about 3 s.
 *
 * @param config - for master and replicas, because each may become the master.
 */
export async function startSentinelGroup(config: RedisConfig): Promise<SentinelGroup> {
  const start = async (more: RedisConfig) => {
    // The master sends the data to a returning replica immediately, not after the default of five seconds.
    const server = await startRedisServer({
      config: { 'repl-diskless-sync-delay': '0', ...config, ...more },
    });
    onTestFinished(() => server.stop());
    return server;
  };
  const master = await start({});
  const replicas = await Promise.all(
    Array.from({ length: REPLICAS }, () => start({ replicaof: `${master.host} ${master.port}` })),
  );
  await expect.poll(() => infoOf(master)).toContain(`connected_slaves:${REPLICAS}`);
  const sentinels = await Promise.all(
    Array.from({ length: SENTINELS }, () => startSentinel(master)),
  );
  await Promise.all(sentinels.map(untilAllKnown));
  return { sentinels, name: NAME, master, replicas };
}

/** The section `replication` of a server's INFO; empty if the server does not reply. */
export async function infoOf({ host, port }: RedisNode): Promise<string> {
  const redis = new Redis({ host, port, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    return await redis.info('replication');
  } catch {
    return '';
  } finally {
    redis.disconnect();
  }
}

async function startSentinel(master: RedisNode): Promise<RedisNode> {
  const folder = await mkdtemp(join(tmpdir(), 'latchhook-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  const binary = requireRedisServer();
  const { port, running } = await startOnFreePort(async (free) => {
    // A separate file for each Sentinel, which writes its state into it.
    await writeFile(file, sentinelConfig(master, free, folder));
    const group = await startProcessGroup(binary.path, [file, '--sentinel'], {
      cwd: folder,
      env: environmentOf(binary),
      stdio: ['ignore', 'pipe', 'pipe'],
      temporaryFolder: folder,
    });
    try {
      await outputLine(group.child, /\+monitor master/);
    } catch (error) {
      await group.kill9();
      throw error;
    }
    return group;
  }, folder);
  onTestFinished(async () => {
    await running.kill9();
    await rm(folder, { recursive: true, force: true });
  });
  return { host: master.host, port };
}

function sentinelConfig({ host, port }: RedisNode, own: number, folder: string): string {
  const majority = Math.floor(SENTINELS / 2) + 1;
  return [
    `port ${own}`,
    `bind ${host}`,
    `dir ${folder}`,
    `sentinel monitor ${NAME} ${host} ${port} ${majority}`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} ${FAILOVER_TIMEOUT_MS}`,
    '',
  ].join('\n');
}

async function untilAllKnown({ host, port }: RedisNode): Promise<void> {
  const sentinel = new Redis(port, host);
  const countOf = async (what: string) => {
    const entries: unknown = await sentinel.call('SENTINEL', what, NAME);
    return Array.isArray(entries) ? entries.length : entries;
  };
  try {
    await expect
      .poll(async () => [await countOf('replicas'), await countOf('sentinels')])
      .toEqual([REPLICAS, SENTINELS - 1]);
  } finally {
    sentinel.disconnect();
  }
}
