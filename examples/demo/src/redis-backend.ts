import { redisStorage } from '@latchhook/redis';
import { Redis } from 'ioredis';
import type { Backend } from './backend.ts';

/** Stores everything in Redis, for any number of processes. */
export function redisBackend(url: string): Backend {
  const redis = new Redis(url, {
    // Recovers within two seconds after any outage: limits the delays between attempts, the wait that a loading Redis
    // asks for, and the wait for a silent socket.
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
    maxLoadingRetryTime: 500,
    connectTimeout: 1_000,
    socketTimeout: 1_500,
    maxRetriesPerRequest: 1,
    // A demoted master keeps its connections, so reconnect: the host name now resolves to the new master. `includes`,
    // because Redis 6 has the word in the middle of the message if it rejects a script.
    reconnectOnError: (error) => error.message.includes('READONLY'),
  });
  redis.on('error', (error) => console.error(`redis: ${error.message}`));
  return {
    location: 'the Redis of REDIS_URL',
    storage: redisStorage(redis),
    close: async () => redis.disconnect(),
  };
}
