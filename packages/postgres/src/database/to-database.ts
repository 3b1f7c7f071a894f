import type { Database } from './database.ts';
import { PgDatabase, type PgPool } from './pg-database.ts';
import { type PgliteConnection, PgliteDatabase } from './pglite-database.ts';

/** Where Latchhook keeps its records: a `Pool` of `pg`, or a `PGlite`. Both are the host's own. */
export type PostgresConnection = PgPool | PgliteConnection;

/** Tells the two apart by what only PGlite has, so that neither driver need be installed to ask. */
export function toDatabase(connection: PostgresConnection): Database {
  return 'exec' in connection ? new PgliteDatabase(connection) : new PgDatabase(connection);
}
