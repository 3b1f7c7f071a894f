import { ConfigError } from '@latchhook/core';
import { uncheckedFields } from '@latchhook/core/storage';
import type { Database } from './database.ts';
import { PgDatabase, type PgPool } from './pg-database.ts';
import { type PgliteConnection, PgliteDatabase } from './pglite-database.ts';

/** The database in which Latchhook stores its records: the host's own `Pool` of `pg`, or `PGlite`. */
export type PostgresConnection = PgPool | PgliteConnection;

/**
 * Recognises PGlite by a method that `pg` does not have, so that neither driver has to be installed.
 *
 * @throws {ConfigError} `options_invalid` if the connection is neither, for example the URL of a database
 */
export function toDatabase(connection: PostgresConnection): Database {
  const { connect, exec } = uncheckedFields<PgPool & PgliteConnection>(connection);
  if (typeof connect !== 'function' && typeof exec !== 'function') {
    throw new ConfigError(
      'options_invalid',
      'Give a Pool of pg, or a PGlite: postgresStorage(new Pool({ connectionString })), migrate(pool)',
    );
  }
  return 'exec' in connection ? new PgliteDatabase(connection) : new PgDatabase(connection);
}
