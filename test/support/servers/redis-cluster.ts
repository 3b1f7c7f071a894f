import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { PATIENT_MS } from '../time/patience.ts';
import { type RedisConfig, type RedisServer, startRedisServer } from './redis-server.ts';

/** A node for `new Cluster(nodes)` of ioredis. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/** Three masters that share the slots, without replicas: enough to reject a script that crosses slots. */
export interface RedisCluster {
  readonly nodes: readonly RedisNode[];
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
}

const slotCount = 16_384;
const nodeCount = 3;
const pollMs = 20;

/**
 * Starts a real Redis Cluster on loopback ports and waits until every node serves all slots, about 2 s. The bus of a
 * node uses its port plus 10,000: only the start of the node shows whether that port is free.
 */
export async function startRedisCluster(config: RedisConfig = {}): Promise<RedisCluster> {
  const servers = await startMembers(config);
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  try {
    await form(servers);
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes: servers.map(({ host, port }) => ({ host, port })), servers, stop };
}

/** Starts all nodes; if one fails, stops the others. */
async function startMembers(config: RedisConfig): Promise<readonly RedisServer[]> {
  const starts = await Promise.allSettled(
    Array.from({ length: nodeCount }, () =>
      startRedisServer({ config: { ...config, 'cluster-enabled': 'yes' } }),
    ),
  );
  const servers = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failure = starts.find((start) => start.status === 'rejected');
  if (failure === undefined) return servers;
  await Promise.all(servers.map((server) => server.stop()));
  throw failure.reason;
}

async function form(servers: readonly RedisServer[]): Promise<void> {
  const clients = servers.map(({ url }) => new Redis(url));
  try {
    await Promise.all(clients.map(claimSlots));
    // Each node meets all others directly: gossip would take seconds longer.
    await Promise.all(
      clients.flatMap((client) =>
        servers.map(({ host, port }) => client.call('CLUSTER', 'MEET', host, port)),
      ),
    );
    await Promise.all(clients.map(untilFormed));
  } finally {
    for (const client of clients) client.disconnect();
  }
}

async function claimSlots(client: Redis, index: number): Promise<void> {
  const first = Math.floor((index * slotCount) / nodeCount);
  const end = Math.floor(((index + 1) * slotCount) / nodeCount);
  // The slots are listed, because Redis 6 has no ADDSLOTSRANGE.
  const slots = Array.from({ length: end - first }, (_, offset) => first + offset);
  await client.call('CLUSTER', 'ADDSLOTS', ...slots);
  // Distinct epochs from the start: otherwise the nodes would have to resolve a collision first.
  await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
}

async function untilFormed(client: Redis): Promise<void> {
  const deadline = Date.now() + PATIENT_MS;
  while (!isFormed(String(await client.call('CLUSTER', 'INFO')))) {
    if (Date.now() > deadline) throw new Error('the Redis Cluster did not form');
    await sleep(pollMs);
  }
}

/** `cluster_state:ok` is not enough: a node reports it before it has met all others. */
function isFormed(info: string): boolean {
  return [
    'cluster_state:ok',
    `cluster_slots_ok:${slotCount}`,
    `cluster_known_nodes:${nodeCount}`,
  ].every((line) => info.includes(line));
}
