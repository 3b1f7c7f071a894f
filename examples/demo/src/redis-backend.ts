import { redisStorage } from '@latchhook/redis';
import { Redis } from 'ioredis';
import type { Backend } from './backend.ts';

/** Redis, for any number of processes. */
export function redisBackend(url: string): Backend {
  const redis = new Redis(url, {
    // To recover within two seconds of any outage: never wait longer between attempts, nor for as long as a loading
    // Redis announces, and give up on a silent socket.
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
    maxLoadingRetryTime: 500,
    connectTimeout: 1_000,
    socketTimeout: 1_500,
    maxRetriesPerRequest: 1,
    // A demoted master keeps its connections: by now, the name leads to the new one. Redis 6 does not begin with the
    // word when a script is rejected.
    reconnectOnError: (error) => error.message.includes('READONLY'),
  });
  redis.on('error', (error) => console.error(`redis: ${error.message}`));
  return {
    place: 'the Redis of REDIS_URL',
    storage: redisStorage(redis),
    close: async () => redis.disconnect(),
  };
}
