import { randomUUID } from 'node:crypto';
import { migrate } from '@latchhook/mysql';
import { createPool, type Pool, type PoolOptions } from 'mysql2/promise';
import { inject } from 'vitest';

/** Whether the run has a MySQL or a MariaDB. */
export const HAS_MYSQL: boolean = inject('mysqlUrl') !== null;

/** Whether the server is a MariaDB, and not a MySQL. */
export async function isMariadb(): Promise<boolean> {
  if (!HAS_MYSQL) return false;
  const server = createPool(`${inject('mysqlUrl')}`);
  const [[row]] = (await server.query('SELECT VERSION() AS version')) as unknown as [
    [{ version: string }],
  ];
  await server.end();
  return row.version.includes('MariaDB');
}

/** A pool on a database of the server. */
export function mysqlPool(database: string, options: PoolOptions = {}): Pool {
  return createPool({ uri: `${inject('mysqlUrl')}`, database, ...options });
}

const idle: string[] = [];

/** Resolves to an empty, migrated database, which no other test uses until it is given back. */
export async function takeMysqlDatabase(): Promise<string> {
  const used = idle.pop();
  const database = used ?? (await newMysqlDatabase());
  const pool = mysqlPool(database);
  if (used === undefined) await migrate(pool);
  else await empty(pool);
  await pool.end();
  return database;
}

export function giveMysqlDatabaseBack(database: string): void {
  idle.push(database);
}

/** A database without tables, which is dropped after the run. */
export async function newMysqlDatabase(): Promise<string> {
  const database = `${inject('mysqlDatabasePrefix')}_${randomUUID().replaceAll('-', '')}`;
  const server = createPool(`${inject('mysqlUrl')}`);
  await server.query(`CREATE DATABASE ${database}`);
  await server.end();
  return database;
}

/** Kills all other connections to the database, even within transactions. */
export async function dropMysqlConnections(admin: Pool): Promise<void> {
  const others = 'WHERE db = DATABASE() AND id <> CONNECTION_ID()';
  const [processes] = await admin.query(`SELECT id FROM information_schema.processlist ${others}`);
  // A connection may already have ended by itself.
  for (const { id } of processes as { id: number }[])
    await admin.query(`KILL ${id}`).catch(() => {});
}

/** By `DELETE`, because `TRUNCATE` creates new files. */
async function empty(pool: Pool): Promise<void> {
  for (const table of ['latchhook_rows', 'latchhook_index_entries']) {
    await pool.query(`DELETE FROM ${table}`);
  }
}
