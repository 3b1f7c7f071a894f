// The storage and the options of a process that publishes or sends, by its environment. The storage is PostgreSQL
// (`PG_URL`, `PG_SCHEMA`), or else Redis (`REDIS_URL`). `ENCRYPTION_KEY` is base64.
import { inProcessWorker } from '@latchhook/delivery';
import { postgresStorage } from '@latchhook/postgres';
import { redisStorage } from '@latchhook/redis';
import { Redis } from 'ioredis';
import pg from 'pg';

const { PG_URL, PG_SCHEMA, REDIS_URL, ENCRYPTION_KEY = '' } = process.env;
/** The connections of the worker; the transactions of a host have others. */
const POOL_SIZE = 30;
const ends = [];

function connectRedis() {
  const redis = new Redis(REDIS_URL, {
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
    maxRetriesPerRequest: 1,
  });
  redis.on('error', (error) => process.stderr.write(`redis: ${error.message}\n`));
  ends.push(() => redis.disconnect());
  return redis;
}

function connectPostgres() {
  const pool = new pg.Pool({
    connectionString: PG_URL,
    connectionTimeoutMillis: 1_000,
    max: POOL_SIZE,
  });
  // The pool emits an error if the server is killed while a connection is idle.
  pool.on('error', () => {});
  ends.push(() => pool.end());
  return pool;
}

/** The pool for transactions of the host; `undefined` with Redis. */
export const pool = PG_URL === undefined ? undefined : connectPostgres();

export const storage =
  pool === undefined ? redisStorage(connectRedis()) : postgresStorage(pool, { schema: PG_SCHEMA });

/** @param work whether this process sends */
export function deliveryOptions({ work }) {
  return {
    keys: { encryption: [Buffer.from(ENCRYPTION_KEY, 'base64')] },
    webhooks: {
      worker: work ? inProcessWorker() : false,
      allowHttp: true,
      allowPrivateAddresses: true,
    },
  };
}

/** Ends all connections. To be called when no connection is in use. */
export async function endConnections() {
  for (const end of ends) await end();
}
