import { type DeliveryEngine, memoryStorage, type Storage } from '@latchhook/core';
import { bullmqDelivery, inProcessDelivery } from '@latchhook/delivery';
import { redisStorage } from '@latchhook/redis';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

/** What an app keeps things in and sends by, and how to let go of both. */
export interface Backend {
  readonly storage: Storage;
  readonly delivery: DeliveryEngine;
  /** The queue of deliveries, for a dashboard; `null` where there is none to look at. */
  readonly queue: Queue | null;
  close(): Promise<void>;
}

/** Redis and BullMQ where `redisUrl` names one, else this process alone. */
export function openBackend(redisUrl: string | undefined): Backend {
  return redisUrl === undefined ? inThisProcess() : inRedis(redisUrl);
}

function inThisProcess(): Backend {
  return {
    storage: memoryStorage(),
    delivery: inProcessDelivery(),
    queue: null,
    close: async () => {},
  };
}

function inRedis(redisUrl: string): Backend {
  const redis = new Redis(redisUrl, {
    // Recovered within two seconds of an outage, however long it was: never wait longer between attempts,
    // nor for the time that a loading Redis foretells, and give up on a socket that has gone silent.
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
    maxLoadingRetryTime: 500,
    connectTimeout: 1_000,
    socketTimeout: 1_500,
    maxRetriesPerRequest: 1,
    // A master that was demoted keeps its connections: the name leads to the new one by now.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  redis.on('error', (error) => console.error(`redis: ${error.message}`));
  const queue = new Queue('latchhook-deliveries', { connection: redis, prefix: '{latchhook}' });
  queue.on('error', (error) => console.error(`queue: ${error.message}`));
  return {
    storage: redisStorage(redis),
    delivery: bullmqDelivery({ connection: redis }),
    queue,
    async close() {
      await queue.close();
      redis.disconnect();
    },
  };
}
