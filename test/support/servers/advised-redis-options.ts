import type { RedisOptions } from 'ioredis';

/** The client options that the README of `@latchhook/redis` advises, without the address. */
export const ADVISED_REDIS_OPTIONS: Omit<RedisOptions, 'replyMapping'> = {
  maxRetriesPerRequest: 1,
  connectTimeout: 1_000,
  maxLoadingRetryTime: 500,
  socketTimeout: 2_000,
  retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  reconnectOnError: (error) => error.message.includes('READONLY'),
};
