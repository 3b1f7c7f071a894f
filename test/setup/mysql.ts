import { randomUUID } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import type { TestProject } from 'vitest/node';
import { findMariadbServer } from '../support/servers/find-mariadb-server.ts';
import { startMariadbServer } from '../support/servers/mariadb-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A MySQL or MariaDB that the whole run shares: each test uses a separate database. `null` if there is none. */
    mysqlUrl: string | null;
    /** Databases whose names begin with this and an underscore are dropped after the run. */
    mysqlDatabasePrefix: string;
  }
}

/** Gives the tests a real MySQL: the one that `MYSQL_URL` names, or a MariaDB that is stopped after the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const prefix = `latchhook_test_${randomUUID().slice(0, 8)}`;
  project.provide('mysqlDatabasePrefix', prefix);
  const url = process.env['MYSQL_URL'];
  if (url !== undefined && url !== '') {
    project.provide('mysqlUrl', url);
    return () => dropDatabases(url, prefix);
  }
  const program = findMariadbServer();
  if (program === undefined) {
    // Said once, because each skipped test only says that it was skipped.
    process.stderr.write(
      [
        'No MariaDB was found, so that tests on it are skipped. To run them, do one of these:',
        '  - install it (apt-get install mariadb-server, apk add mariadb, brew install mariadb)',
        '  - set MYSQL_URL to a server in which the tests may make databases\n',
      ].join('\n'),
    );
    project.provide('mysqlUrl', null);
    return async () => {};
  }
  const server = await startMariadbServer(program);
  project.provide('mysqlUrl', server.url);
  return () => server.stop();
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  const connection = await createConnection(url);
  const [names] = await connection.query({
    sql: 'SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE ?',
    values: [`${prefix}\\_%`],
    rowsAsArray: true,
  });
  for (const [name] of names as [string][]) await connection.query(`DROP DATABASE ${name}`);
  await connection.end();
}
