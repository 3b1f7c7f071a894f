// The storage and the options of a process that publishes or sends, by its environment. The storage is PostgreSQL
// (`PG_URL`, `PG_SCHEMA`), MySQL (`MYSQL_URL`), SQLite (`SQLITE_FILE`), or else Redis (`REDIS_URL`). `ENCRYPTION_KEY` is
// base64.
import { inProcessWorker } from '@latchhook/delivery';
import { mysqlStorage } from '@latchhook/mysql';
import { postgresStorage } from '@latchhook/postgres';
import { redisStorage } from '@latchhook/redis';
import { sqliteStorage } from '@latchhook/sqlite';
import { Redis } from 'ioredis';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { openSqlite } from '../storage/open-sqlite.mjs';

const { PG_URL, PG_SCHEMA, MYSQL_URL, SQLITE_FILE, REDIS_URL, ENCRYPTION_KEY = '' } = process.env;
/** Enough for the worker, or for a host that publishes in eight parallel transactions. */
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

function connectMysql() {
  const mysqlPool = mysql.createPool({
    uri: MYSQL_URL,
    connectTimeout: 1_000,
    connectionLimit: POOL_SIZE,
  });
  ends.push(() => mysqlPool.end());
  return mysqlPool;
}

function openFile() {
  const database = openSqlite(SQLITE_FILE);
  ends.push(() => database.close());
  return database;
}

/** The pool of the storage, also for transactions of a host; `undefined` without PostgreSQL. */
export const pool = PG_URL === undefined ? undefined : connectPostgres();

function openStorage() {
  if (pool !== undefined) return postgresStorage(pool, { schema: PG_SCHEMA });
  if (MYSQL_URL !== undefined) return mysqlStorage({ pool: connectMysql() });
  if (SQLITE_FILE !== undefined) return sqliteStorage({ database: openFile() });
  return redisStorage(connectRedis());
}

export const storage = openStorage();

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
