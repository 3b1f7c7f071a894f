import { startPostgres } from './postgres-server.mjs';
import { startRedis } from './redis-server.mjs';

/** Starts the stores of a scenario's servers: Redis, and PostgreSQL where the scenario has `postgres`. */
export async function startStores(scenario) {
  const redis = await startRedis();
  const postgres = scenario.postgres ? await startPostgres() : null;
  return {
    redis,
    environment: {
      ...scenario.environment,
      REDIS_URL: redis.url,
      ...(postgres === null ? {} : { PG_URL: postgres.url }),
    },
    stop: () => Promise.all([redis.stop(), postgres?.stop()]),
  };
}
