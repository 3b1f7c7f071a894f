import type { Storage } from '@latchhook/core';
import { memoryStorage } from '@latchhook/core';
import { redisStorage } from '@latchhook/redis';
import { Redis } from 'ioredis';

/** A storage and how to let go of it. */
export interface OpenStorage {
  readonly storage: Storage;
  close(): Promise<void>;
}

/** Redis where `redisUrl` names one, else this process's memory. */
export function openStorage(redisUrl: string | undefined): OpenStorage {
  if (redisUrl === undefined) return { storage: memoryStorage(), close: async () => {} };
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
  return {
    storage: redisStorage(redis),
    close: async () => redis.disconnect(),
  };
}
