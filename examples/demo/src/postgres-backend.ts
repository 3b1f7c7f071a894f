import { migrate, postgresStorage } from '@latchhook/postgres';
import { Pool } from 'pg';
import type { Backend } from './backend.ts';

/**
 * PostgreSQL, for any number of processes. The schema is made here; a real app does that in its deployment, under
 * another role than it runs as.
 *
 * @throws {Error} if the database cannot be reached, or rejects
 */
export async function postgresBackend(url: string): Promise<Backend> {
  const pool = new Pool({
    connectionString: url,
    // For requests; deliveries always hold one more.
    max: 20,
    connectionTimeoutMillis: 1_000,
    keepAlive: true,
  });
  pool.on('error', (error) => console.error(`postgres: ${error.message}`));
  try {
    await migrate(pool);
  } catch (error) {
    throw new Error('the PostgreSQL of DATABASE_URL could not be prepared', { cause: error });
  }
  return {
    place: 'the PostgreSQL of DATABASE_URL',
    storage: postgresStorage(pool),
    close: () => pool.end(),
  };
}
