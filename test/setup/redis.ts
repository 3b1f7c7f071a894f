import type { TestProject } from 'vitest/node';
import { findRedisServer, requireRedisServer } from '../support/servers/find-redis-server.ts';
import { type RedisNode, startRedisCluster } from '../support/servers/redis-cluster.ts';
import { startRedisServer } from '../support/servers/redis-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real Redis that the whole run shares: use a key prefix of your own, and never FLUSHALL. */
    redisUrl: string;
    /** Nodes of a real Redis Cluster; empty where `REDIS_URL` is given and no server binary is found. */
    redisClusterNodes: readonly RedisNode[];
  }
}

interface Provided<Value> {
  readonly value: Value;
  stop(): Promise<void>;
}

/** Gives the tests a real Redis and a real Redis Cluster, and stops both after the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [standalone, cluster] = await Promise.all([provideStandalone(), provideCluster()]);
  project.provide('redisUrl', standalone.value);
  project.provide('redisClusterNodes', cluster.value);
  return async () => {
    await Promise.all([standalone.stop(), cluster.stop()]);
  };
}

async function provideStandalone(): Promise<Provided<string>> {
  const given = givenUrl();
  if (given !== undefined) return { value: given, stop: async () => {} };
  const server = await startRedisServer();
  return { value: server.url, stop: () => server.stop() };
}

async function provideCluster(): Promise<Provided<readonly RedisNode[]>> {
  // With `REDIS_URL`, this machine may have no binary of Redis, and none is downloaded.
  const binary = givenUrl() === undefined ? requireRedisServer() : findRedisServer();
  if (binary === undefined) return { value: [], stop: async () => {} };
  const cluster = await startRedisCluster();
  return { value: cluster.nodes, stop: () => cluster.stop() };
}

function givenUrl(): string | undefined {
  const url = process.env['REDIS_URL'];
  return url === undefined || url === '' ? undefined : url;
}
