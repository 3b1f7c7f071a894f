import { randomUUID } from 'node:crypto';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { inject, onTestFinished } from 'vitest';

/** A client that is closed after the test. */
export function connect(
  url: string = inject('redisUrl'),
  options: Omit<RedisOptions, 'replyMapping'> = {},
): Redis {
  const redis = new Redis(url, { retryStrategy: () => 10, ...options });
  // Some tests cause connection errors; without a listener ioredis prints them.
  redis.on('error', () => {});
  onTestFinished(() => redis.disconnect());
  return redis;
}

/** Options of a host's Cluster client. */
export interface HostClusterOptions {
  readonly keyPrefix?: string;
  readonly enableOfflineQueue?: boolean;
  readonly redisOptions?: { readonly keyPrefix?: string };
}

export function connectCluster(options: HostClusterOptions = {}): Cluster {
  const cluster = new Cluster([...inject('redisClusterNodes')], options);
  onTestFinished(() => cluster.disconnect());
  return cluster;
}

/** A unique key prefix, because tests share one server. */
export function uniquePrefix(): string {
  return `test-${randomUUID()}`;
}
