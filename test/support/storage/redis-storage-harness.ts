import { randomUUID } from 'node:crypto';
import { redisStorage } from '@latchhook/redis';
import type { StorageHarness } from '@latchhook/testkit';
import { Cluster, type Redis } from 'ioredis';
import { PATIENT_MS } from '../time/patience.ts';

type Client = Redis | Cluster;

/** A harness for `redisStorage` on these clients; each test has its own key prefix. */
export function redisStorageHarness(createClient: () => Client): StorageHarness {
  return {
    abilities: ['disturb', 'dump'],
    open: async ({ clock }) => {
      const keyPrefix = `certify-${randomUUID()}`;
      const admin = createClient();
      const clients = [admin];
      return {
        connect: async () => {
          const client = createClient();
          clients.push(client);
          return redisStorage(client, { clock, keyPrefix, deadlineMs: PATIENT_MS });
        },
        disturb: async () => {
          for (const master of await mastersOf(admin)) await master.script('FLUSH');
        },
        dump: async () => {
          const parts: string[] = [];
          for await (const [master, key] of keysOf(admin, keyPrefix)) {
            parts.push(key, ...(await readKey(master, key)));
          }
          return parts.join('\n');
        },
        close: async () => {
          for await (const [master, key] of keysOf(admin, keyPrefix)) await master.del(key);
          for (const client of clients) client.disconnect();
        },
      };
    },
  };
}

async function mastersOf(client: Client): Promise<readonly Redis[]> {
  if (!(client instanceof Cluster)) return [client];
  // A cluster client knows its nodes only once it has connected.
  await client.ping();
  return client.nodes('master');
}

async function* keysOf(
  client: Client,
  keyPrefix: string,
): AsyncGenerator<readonly [master: Redis, key: string]> {
  for (const master of await mastersOf(client)) {
    for await (const keys of master.scanStream({ match: `${keyPrefix}*`, count: 1000 })) {
      for (const key of keys) yield [master, key];
    }
  }
}

/** Reads a key by a command for its type: `DUMP` compresses, which could hide a secret. */
async function readKey(master: Redis, key: string): Promise<readonly string[]> {
  const type = await master.type(key);
  switch (type) {
    case 'hash':
      return Object.entries(await master.hgetall(key)).flat();
    case 'zset':
      return master.zrange(key, 0, '-1', 'WITHSCORES');
    case 'set':
      return master.smembers(key);
    case 'list':
      return master.lrange(key, 0, -1);
    case 'string':
      return [(await master.get(key)) ?? ''];
    default:
      throw new Error(`What is kept in a ${type} is not read: teach this function to.`);
  }
}
