import type { Cluster, Redis } from 'ioredis';

/** The host's own client. It is used as it is: nothing is defined on it, set on it or closed. */
export type RedisClient = Redis | Cluster;
