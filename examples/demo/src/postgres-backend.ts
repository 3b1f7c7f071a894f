import { migrate, postgresStorage } from '@latchhook/postgres';
import { Pool } from 'pg';
import type { Backend } from './backend.ts';

/**
 * Stores everything in PostgreSQL, for any number of processes. Creates the schema too; a real app calls `migrate` in
 * its deployment, with another role than that of its processes.
 *
 * @throws {Error} if the database cannot be reached, or rejects the migration
 */
export async function postgresBackend(url: string): Promise<Backend> {
  const pool = new Pool({
    connectionString: url,
    // As many as requests need, and one more because the delivery worker always holds one.
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
    location: 'the PostgreSQL of DATABASE_URL',
    storage: postgresStorage(pool),
    close: () => pool.end(),
  };
}
