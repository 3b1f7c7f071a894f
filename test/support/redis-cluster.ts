import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { PATIENT_MS } from './patience.ts';
import { type RedisConfig, type RedisServer, startRedisServer } from './redis-server.ts';

/** What `new Cluster(nodes)` of ioredis takes. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/** Three masters that share the slots, without replicas: enough to refuse a script that crosses slots. */
export interface RedisCluster {
  readonly nodes: readonly RedisNode[];
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
}

const slotCount = 16_384;
const nodeCount = 3;
const pollMs = 20;

/** Starts a real Redis Cluster on loopback ports and waits until every node serves all slots; about 2 s. */
export async function startRedisCluster(config: RedisConfig = {}): Promise<RedisCluster> {
  const members = await startMembers(config);
  const stop = async () => {
    await Promise.all(members.map(({ server }) => server.stop()));
  };
  try {
    await form(members);
  } catch (error) {
    await stop();
    throw error;
  }
  const servers = members.map(({ server }) => server);
  return { nodes: servers.map(({ host, port }) => ({ host, port })), servers, stop };
}

interface Member {
  readonly server: RedisServer;
  readonly busPort: number;
}

/** All or none: where one fails, those that did start are stopped. */
async function startMembers(config: RedisConfig): Promise<readonly Member[]> {
  const starts = await Promise.allSettled(
    Array.from({ length: nodeCount }, () => startMember(config)),
  );
  const members = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failure = starts.find((start) => start.status === 'rejected');
  if (failure === undefined) return members;
  await Promise.all(members.map(({ server }) => server.stop()));
  throw failure.reason;
}

async function startMember(config: RedisConfig): Promise<Member> {
  // By default the bus is the port plus 10000, which for a high free port is none at all.
  const busPort = await freePort();
  const server = await startRedisServer({
    config: { ...config, 'cluster-enabled': 'yes', 'cluster-port': String(busPort) },
  });
  return { server, busPort };
}

async function form(members: readonly Member[]): Promise<void> {
  const clients = members.map(({ server }) => new Redis(server.url));
  try {
    await Promise.all(clients.map(claimSlots));
    // Everybody meets everybody: waiting for gossip to spread would take seconds longer.
    await Promise.all(
      clients.flatMap((client) =>
        members.map(({ server, busPort }) =>
          client.call('CLUSTER', 'MEET', server.host, server.port, busPort),
        ),
      ),
    );
    await Promise.all(clients.map(untilFormed));
  } finally {
    for (const client of clients) client.disconnect();
  }
}

async function claimSlots(client: Redis, index: number): Promise<void> {
  const first = Math.floor((index * slotCount) / nodeCount);
  const last = Math.floor(((index + 1) * slotCount) / nodeCount) - 1;
  await client.call('CLUSTER', 'ADDSLOTSRANGE', first, last);
  // Distinct epochs from the start: otherwise the nodes settle a collision first.
  await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
}

async function untilFormed(client: Redis): Promise<void> {
  const deadline = Date.now() + PATIENT_MS;
  while (!isFormed(String(await client.call('CLUSTER', 'INFO')))) {
    if (Date.now() > deadline) throw new Error('the Redis Cluster did not form');
    await sleep(pollMs);
  }
}

/** `cluster_state:ok` alone is not enough: a node says so before it has met the last of the others. */
function isFormed(info: string): boolean {
  return [
    'cluster_state:ok',
    `cluster_slots_ok:${slotCount}`,
    `cluster_known_nodes:${nodeCount}`,
  ].every((line) => info.includes(line));
}
