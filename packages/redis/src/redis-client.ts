import type { Cluster, Redis } from 'ioredis';

/** The host's own client. Latchhook defines no command on it, changes no setting, and does not close it. */
export type RedisClient = Redis | Cluster;
