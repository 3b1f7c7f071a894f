import { type PostgresConnection, toDatabase } from './database/to-database.ts';
import { type MigrationOptions, migrationStatements } from './migration-sql.ts';

/**
 * Brings the schema to what this version of the package needs. Run it in a deploy, before the processes of the new
 * version start, with a role that may create.
 *
 * Atomicity: one transaction. Idempotency: it may be run any number of times, by any number of processes at once, which
 * take turns. From the first release on, processes of the version before go on working.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `postgres_schema_invalid`
 * @throws the error of the driver where PostgreSQL refuses or cannot be reached, or where a table that must change is
 * in use (`55P03`): try again then.
 * @example
 * ```ts
 * import { migrate } from '@latchhook/postgres';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: 'postgres://owner@localhost/app' });
 * await migrate(pool);
 * await pool.end();
 * ```
 */
export async function migrate(
  connection: PostgresConnection,
  options: MigrationOptions = {},
): Promise<void> {
  const statements = migrationStatements('migrate', options);
  await toDatabase(connection).transaction(async (transaction) => {
    for (const statement of statements) await transaction.query(statement, []);
  });
}
