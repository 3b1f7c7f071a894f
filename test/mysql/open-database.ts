import type { Pool, PoolOptions } from 'mysql2/promise';
import { onTestFinished } from 'vitest';
import {
  giveMysqlDatabaseBack,
  mysqlPool,
  takeMysqlDatabase,
} from '../support/servers/mysql-databases.ts';

/** Opens pools on a new empty database; the end of the test ends them. */
export async function openDatabase(): Promise<(options?: PoolOptions) => Pool> {
  const database = await takeMysqlDatabase();
  const pools: Pool[] = [];
  onTestFinished(async () => {
    // `end` rejects if a connection was killed.
    for (const pool of pools) await pool.end().catch(() => {});
    giveMysqlDatabaseBack(database);
  });
  return (options) => {
    const pool = mysqlPool(database, options);
    pools.push(pool);
    return pool;
  };
}
