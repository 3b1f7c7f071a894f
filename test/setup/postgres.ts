import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { TestProject } from 'vitest/node';
import { findPostgresServer } from '../support/servers/find-postgres-server.ts';
import { startPostgresServer } from '../support/servers/postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real PostgreSQL that the whole run shares: each test uses a separate schema. `null` if there is none. */
    postgresUrl: string | null;
    /** Schemas whose names begin with this and an underscore are dropped after the run. */
    postgresSchemaPrefix: string;
  }
}

/** Gives the tests a real PostgreSQL: the one that `PG_URL` names, or one that is stopped after the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const schemaPrefix = `latchhook_test_${randomUUID().slice(0, 8)}`;
  project.provide('postgresSchemaPrefix', schemaPrefix);
  const url = process.env['PG_URL'];
  if (url !== undefined && url !== '') {
    project.provide('postgresUrl', url);
    return () => dropSchemas(url, schemaPrefix);
  }
  const programs = await findPostgresServer();
  if (programs === undefined) {
    // Said once, because each skipped test only says that it was skipped.
    process.stderr.write(
      [
        'No PostgreSQL was found, so that tests on it are skipped. To run them, do one of these:',
        '  - install it (apt-get install postgresql, apk add postgresql, brew install postgresql)',
        '  - set POSTGRES_BIN to the folder of its initdb and postgres, 15 or later',
        '  - set PG_URL to a database in which the tests may make schemas\n',
      ].join('\n'),
    );
    project.provide('postgresUrl', null);
    return async () => {};
  }
  const server = await startPostgresServer(programs);
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}

async function dropSchemas(url: string, prefix: string): Promise<void> {
  const pool = new Pool({ connectionString: url });
  try {
    const { rows } = await pool.query<{ readonly name: string }>(
      'SELECT nspname AS name FROM pg_namespace WHERE starts_with(nspname, $1)',
      [`${prefix}_`],
    );
    // One by one: the number of locks in a transaction is bounded.
    for (const { name } of rows) await pool.query(`DROP SCHEMA ${name} CASCADE`);
  } finally {
    await pool.end();
  }
}
