import type { Backend } from './backend.ts';

/**
 * Stores logins (sessions, challenges, counters) in Redis, and records that should survive a loss of Redis in SQL:
 * webhooks, deliveries, personal access tokens and second factors.
 */
export function redisBesideSqlBackend(redis: Backend, sql: Backend): Backend {
  const { sessions, challenges, limiters } = redis.storage;
  return {
    location: `${redis.location}, and ${sql.location}`,
    storage: {
      ...sql.storage,
      name: `${redis.storage.name} and ${sql.storage.name}`,
      sessions,
      challenges,
      ...(limiters && { limiters }),
    },
    async close() {
      await redis.close();
      await sql.close();
    },
  };
}
