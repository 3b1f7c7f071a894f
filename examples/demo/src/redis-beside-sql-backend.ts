import type { Backend } from './backend.ts';

/**
 * Redis for logins (sessions, challenges, counters); SQL for records that should survive a loss of Redis: webhooks,
 * deliveries, personal access tokens and second factors.
 */
export function redisBesideSqlBackend(redis: Backend, sql: Backend): Backend {
  const { sessions, challenges, limiters } = redis.storage;
  return {
    place: `${redis.place}, and ${sql.place}`,
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
