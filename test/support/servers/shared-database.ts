import { PGlite } from '@electric-sql/pglite';
import { Pool } from 'pg';
import { inject } from 'vitest';
import { type PostgresAdmin, type PostgresSchemas, postgresSchemas } from './postgres-schemas.ts';

/** One database for all tests of a process, each with its own schema. It ends with the process. */
export interface SharedDatabase {
  readonly connection: PostgresAdmin;
  /** A connection like that of a second process; the same connection if the database serves one process only. */
  readonly neighbour: PostgresAdmin;
  readonly schemas: PostgresSchemas;
}

/** A database on the PostgreSQL of the run, opened at first use. */
export const postgresDatabase: () => SharedDatabase = once(() => {
  const connect = () => new Pool({ connectionString: inject('postgresUrl') ?? '' });
  const connection = connect();
  return { connection, neighbour: connect(), schemas: postgresSchemas(connection) };
});

/** The PGlite of this process, opened at first use, because that takes seconds and most of a gigabyte. */
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
