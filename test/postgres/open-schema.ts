import { randomUUID } from 'node:crypto';
import { migrate } from '@latchhook/postgres';
import { Pool, type PoolConfig } from 'pg';
import { inject, onTestFinished } from 'vitest';

/** Whether there is a PostgreSQL to test on. */
export const HAS_POSTGRES: boolean = inject('postgresUrl') !== null;

/** The URL of the PostgreSQL that all tests of the run share. */
export function postgresUrl(): string {
  return inject('postgresUrl') ?? '';
}

/** A pool that ends with the test. */
export function connect(url: string = postgresUrl(), options: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString: url, ...options });
  // Some tests cause errors of idle clients; without a listener these would end the process.
  pool.on('error', () => {});
  onTestFinished(() => pool.end());
  return pool;
}

export function uniqueSchema(): string {
  return `test_${randomUUID().replaceAll('-', '')}`;
}

/** A migrated schema that is dropped when the test ends. */
export async function openSchema(url: string = postgresUrl()): Promise<string> {
  const schema = uniqueSchema();
  const pool = new Pool({ connectionString: url });
  pool.on('error', () => {});
  await migrate(pool, { schema });
  onTestFinished(async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  return schema;
}
