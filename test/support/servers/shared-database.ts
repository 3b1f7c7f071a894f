import { PGlite } from '@electric-sql/pglite';
import { Pool } from 'pg';
import { inject } from 'vitest';
import { type PostgresAdmin, type PostgresSchemas, postgresSchemas } from './postgres-schemas.ts';

/** One database for all tests of a process, which have schemas of their own. It ends with the process. */
export interface SharedDatabase {
  readonly connection: PostgresAdmin;
  /** The connection of a second process; the same one where the database belongs to one process. */
  readonly neighbour: PostgresAdmin;
  readonly schemas: PostgresSchemas;
}

/** A database on the PostgreSQL of the run, opened when first asked for. */
export const postgresDatabase: () => SharedDatabase = once(() => {
  const connect = () => new Pool({ connectionString: inject('postgresUrl') ?? '' });
  const connection = connect();
  return { connection, neighbour: connect(), schemas: postgresSchemas(connection) };
});

/** A PGlite of this process. It is opened when first asked for, since that takes seconds and most of a gigabyte. */
export const pgliteDatabase: () => SharedDatabase = once(() => {
  const connection = new PGlite();
  return { connection, neighbour: connection, schemas: postgresSchemas(connection) };
});

/** Waits until the PGlite of this process is open. */
export async function openPglite(): Promise<void> {
  await pgliteDatabase().connection.query('SELECT');
}

function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
