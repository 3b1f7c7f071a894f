export { type RedisStorageOptions, redisStorage } from './redis-storage.ts';
