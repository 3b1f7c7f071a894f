import { PGlite } from '@electric-sql/pglite';
import { Pool } from 'pg';
import { inject } from 'vitest';
import { type PostgresAdmin, type PostgresSchemas, postgresSchemas } from './postgres-schemas.ts';

/** One database for everything in a test process, kept apart by schemas. It ends with the process. */
export interface SharedDatabase {
  readonly connection: PostgresAdmin;
  /** As a second process would have: the same where the database is of one process. */
  readonly neighbour: PostgresAdmin;
  readonly schemas: PostgresSchemas;
}

/** On the PostgreSQL of the run: opened when first asked for. */
export const postgresDatabase: () => SharedDatabase = once(() => {
  const connect = () => new Pool({ connectionString: inject('postgresUrl') ?? '' });
  const connection = connect();
  return { connection, neighbour: connect(), schemas: postgresSchemas(connection) };
});

/** On a PGlite of this process: opened when first asked for, since it takes seconds and most of a gigabyte. */
export const pgliteDatabase: () => SharedDatabase = once(() => {
  const connection = new PGlite();
  return { connection, neighbour: connection, schemas: postgresSchemas(connection) };
});

/** Waits until the PGlite of this process is open. */
export async function openPglite(): Promise<void> {
  await pgliteDatabase().connection.query('SELECT');
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
