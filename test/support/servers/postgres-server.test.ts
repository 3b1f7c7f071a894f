import { setTimeout as elapsed } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findPostgresServer } from './find-postgres-server.ts';
import { startPostgresServer } from './postgres-server.ts';

const programs = await findPostgresServer();

describe.skipIf(programs === undefined)('a PostgreSQL server killed by kill9()', () => {
  it('loses its backends too, and can restart immediately', async () => {
    if (programs === undefined) return;
    const server = await startPostgresServer(programs);
    onTestFinished(() => server.stop());
    const busy = await connect(server.url);
    await busy.query('CREATE TABLE written (i int)');
    // This statement is pending when the server is killed. If its backend survived, it would commit later.
    const written = busy.query(`DO $$ BEGIN
      FOR i IN 1 .. 40000000 LOOP PERFORM i; END LOOP;
      INSERT INTO written VALUES (1);
    END $$`);
    written.catch(() => {});
    await elapsed(100);
    await server.kill9();
    await server.restart();
    await expect(written).rejects.toThrow();
    const { rows } = await (await connect(server.url)).query('SELECT i FROM written');
    expect(rows).toEqual([]);
  });
});

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}
