import { startMariadb } from './mariadb-server.mjs';
import { startPostgres } from './postgres-server.mjs';
import { startRedis } from './redis-server.mjs';

/** Starts the stores of a scenario's servers: Redis, PostgreSQL where it has `postgres`, MariaDB where it has `mysql`. */
export async function startStores(scenario) {
  const redis = await startRedis();
  const postgres = scenario.postgres ? await startPostgres() : null;
  const mysql = scenario.mysql ? await startMariadb() : null;
  return {
    redis,
    environment: {
      ...scenario.environment,
      REDIS_URL: redis.url,
      ...(postgres === null ? {} : { PG_URL: postgres.url }),
      ...(mysql === null ? {} : { MYSQL_URL: mysql.url }),
    },
    stop: () => Promise.all([redis.stop(), postgres?.stop(), mysql?.stop()]),
  };
}
