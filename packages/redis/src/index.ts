export type { RedisClient } from './redis-client.ts';
export { type RedisStorageOptions, redisStorage } from './redis-storage.ts';
