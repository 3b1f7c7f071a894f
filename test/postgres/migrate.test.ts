import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { type MigrationOptions, migrate, migrationSql, postgresStorage } from '@latchhook/postgres';
import type { Pool, PoolClient } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { claimOnce } from '../redis/claim-samples.ts';
import { AMPLE_LIMITS, newSession, rotateRequest } from '../support/storage/login-samples.ts';
import { ACCOUNT_ID, newMessage } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, HAS_POSTGRES, openSchema, uniqueSchema } from './open-schema.ts';

describe.skipIf(!HAS_POSTGRES)('migrate', () => {
  it('keeps the data when eight processes run it in parallel, and when it runs again', async () => {
    const schema = uniqueSchema();
    const pool = connect();
    await Promise.all(Array.from({ length: 8 }, () => migrate(pool, { schema })));
    onTestFinished(async () => void (await connect().query(`DROP SCHEMA ${schema} CASCADE`)));
    const { sessions } = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    await sessions.create(newSession('s1'), AMPLE_LIMITS);
    const before = await contentsOf(schema);
    await migrate(pool, { schema });
    expect(await contentsOf(schema)).toEqual(before);
    expect(await sessions.isLive(newSession('s1'))).toBe(true);
  });

  it('creates the same schema as the printed script', async () => {
    const migrated = await openSchema();
    const scripted = uniqueSchema();
    const pool = connect();
    for (let run = 0; run < 2; run += 1) await pool.query(migrationSql({ schema: scripted }));
    onTestFinished(async () => void (await connect().query(`DROP SCHEMA ${scripted} CASCADE`)));
    const named = (contents: string) => contents.replaceAll(/test_[0-9a-f]{32}/g, 'the_schema');
    expect(named(await contentsOf(scripted))).toBe(named(await contentsOf(migrated)));
  });

  it('replaces functions of another version', async () => {
    const schema = await openSchema();
    const pool = connect();
    const { sessions } = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    await sessions.create(newSession('s1'), AMPLE_LIMITS);
    await pool.query(`DROP FUNCTION ${schema}.rotate_session`);
    await expect(sessions.rotate(rotateRequest(1))).rejects.toThrow(/Has `migrate` been run/);
    await pool.query(`UPDATE ${schema}.migrations SET name = 'another version' WHERE number = 0`);
    await migrate(pool, { schema });
    expect(await sessions.rotate(rotateRequest(1))).toMatchObject({ outcome: 'rotated' });
  });

  it('is advised by a call that finds no column of its version', async () => {
    const schema = await openSchema();
    const pool = connect();
    const { sessions } = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    await sessions.create(newSession('s1'), AMPLE_LIMITS);
    await pool.query(`ALTER TABLE ${schema}.sessions RENAME COLUMN generation TO former`);
    await expect(sessions.rotate(rotateRequest(1))).rejects.toThrow(/Has `migrate` been run/);
  });

  it('keeps the functions of a later version', async () => {
    const schema = await openSchema();
    const pool = connect();
    await pool.query(`
      INSERT INTO ${schema}.migrations (number, name) VALUES (999, 'of a later version');
      UPDATE ${schema}.migrations SET name = 'a later version' WHERE number = 0;
      DROP FUNCTION ${schema}.rotate_session`);
    const before = await contentsOf(schema);
    await migrate(pool, { schema });
    expect(await contentsOf(schema)).toBe(before);
  });

  it('serialises concurrent runs of the script at any isolation level of the database', async () => {
    const schema = uniqueSchema();
    const pool = connect(undefined, { options: '-c default_transaction_isolation=serializable' });
    onTestFinished(async () => void (await connect().query(`DROP SCHEMA ${schema} CASCADE`)));
    await Promise.all(Array.from({ length: 4 }, () => pool.query(migrationSql({ schema }))));
    expect(await contentsOf(schema)).toContain('rotate_session');
  });

  it('waits until a table in use is free, while storage calls go on', async () => {
    const schema = await openSchema();
    const pool = connect();
    const other = await holdInstances(pool, schema);
    const { webhooks } = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    const pauses: number[] = [];
    const pause = async (ms: number) => {
      pauses.push(ms);
      expect(await webhooks.list(ACCOUNT_ID, { limit: 10, after: null })).toEqual([]);
      if (pauses.length === 2) await other.query('ROLLBACK');
    };
    await migrate(pool, { schema, pause });
    expect(pauses).toEqual([1000, 1000]);
    expect(await contentsOf(schema)).toContain('instances.instance_id');
  });

  it('gives up on a table that stays in use, and names the migration to run again', async () => {
    const schema = await openSchema();
    const pool = connect();
    const other = await holdInstances(pool, schema);
    const pauses: number[] = [];
    const pause = async (ms: number) => pauses.push(ms);
    await expect(migrate(pool, { schema, pause })).rejects.toMatchObject({
      message: expect.stringMatching(/^migration 4 \(instances\) waits .* run migrate again\.$/),
      cause: expect.objectContaining({ code: '55P03' }),
    });
    expect(pauses).toHaveLength(6);
    expect(await contentsOf(schema)).not.toContain('instances.instance_id');
    await other.query('ROLLBACK');
    await migrate(pool, { schema });
    expect(await contentsOf(schema)).toContain('instances.instance_id');
  });

  it('leaves nothing half-done if it fails', async () => {
    const schema = uniqueSchema();
    const pool = connect();
    await pool.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.challenges (taken text)`);
    onTestFinished(async () => void (await connect().query(`DROP SCHEMA ${schema} CASCADE`)));
    await expect(migrate(pool, { schema })).rejects.toThrow(/"challenges" already exists/);
    expect(await contentsOf(schema)).not.toContain('sessions');
  });

  it.each([
    '',
    'Latchhook',
    'a-b',
    'a;drop',
    '1a',
    'x'.repeat(64),
    'pg_mine',
    'pg_catalog',
    'information_schema',
    'public',
    null as unknown as string, // a pattern would match it as text
  ])('rejects the schema name %j', async (schema) => {
    expect(() => migrationSql({ schema })).toThrow(/postgres_schema_invalid/);
    expect(() => postgresStorage(connect(), { schema })).toThrow(/postgres_schema_invalid/);
    await expect(migrate(connect(), { schema })).rejects.toThrow(/postgres_schema_invalid/);
  });

  it('rejects unknown options like the storage', async () => {
    const misspelt = { scheme: 'mine' } as MigrationOptions;
    expect(() => migrationSql(misspelt)).toThrow(/^migrationSql knows no "scheme"/);
    await expect(migrate(connect(), misspelt)).rejects.toThrow(/^migrate knows no "scheme"/);
    expect(() => postgresStorage(connect(), misspelt)).toThrow(
      /^postgresStorage knows no "scheme"/,
    );
  });

  it.each([undefined, null, 'postgres://localhost', { connectionString: 'postgres://localhost' }])(
    'rejects %j like the storage, and names the valid connections',
    async (given) => {
      const connection = given as unknown as Pool;
      await expect(migrate(connection)).rejects.toThrow(/Pool of pg, or a PGlite/);
      expect(() => postgresStorage(connection)).toThrow(/Pool of pg, or a PGlite/);
    },
  );

  it('explains why it rejects the schema public', () => {
    expect(() => migrationSql({ schema: 'public' })).toThrow(/every role of the database/);
  });
});

describe('migrate on PGlite', () => {
  it('keeps the data of a folder that is reopened', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchhook-pglite-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const first = new PGlite(folder);
    await migrate(first);
    await postgresStorage(first, { deadlineMs: PATIENT_MS }).sessions.create(
      newSession('s1'),
      AMPLE_LIMITS,
    );
    await first.close();

    const second = new PGlite(folder);
    onTestFinished(() => second.close());
    await migrate(second);
    expect(
      await postgresStorage(second, { deadlineMs: PATIENT_MS }).sessions.isLive(newSession('s1')),
    ).toBe(true);
  });

  // On a separate PGlite, because a reserved word is no unique name in a database that tests share.
  it('creates a working schema whose name is a reserved word', async () => {
    const pglite = new PGlite();
    onTestFinished(() => pglite.close());
    for (const schema of ['user', 'select', 'current_schema']) {
      for (let run = 0; run < 2; run += 1) await migrate(pglite, { schema });
      const { sessions, deliveries } = postgresStorage(pglite, { schema, deadlineMs: PATIENT_MS });
      await sessions.create(newSession('s1'), AMPLE_LIMITS);
      expect(await sessions.rotate(rotateRequest(1))).toMatchObject({ outcome: 'rotated' });
      const published = await pglite.transaction(
        async (tx) => await deliveries.outbox?.publishWithin(tx, newMessage('m1')),
      );
      expect(published).toMatchObject({ outcome: 'published' });
      expect(await deliveries.stats()).toMatchObject({ pending: 1 });
      expect(await claimOnce(deliveries)).toMatchObject({ attempts: [] });
      expect(await deliveries.stats()).toMatchObject({ pending: 0 });
    }
  });
});

/** Undoes a migration, and starts to create its table in a transaction that stays open until the test ends. */
async function holdInstances(pool: Pool, schema: string): Promise<PoolClient> {
  await pool.query(`
    DROP TABLE ${schema}.instances;
    DELETE FROM ${schema}.migrations WHERE number IN (0, 4)`);
  const other = await pool.connect();
  // Otherwise, after a failed test the schema could not be dropped.
  onTestFinished(() => other.release(true));
  await other.query(`BEGIN; CREATE TABLE ${schema}.instances (taken text)`);
  return other;
}

/** Everything that a schema contains, as text. */
async function contentsOf(schema: string): Promise<string> {
  const pool = connect();
  const { rows } = await pool.query(
    `SELECT 'column' AS kind, table_name || '.' || column_name AS name, data_type || ' ' ||
        is_nullable || ' ' || coalesce(column_default, '') AS what
       FROM information_schema.columns WHERE table_schema = $1
     UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = $1
     UNION ALL SELECT 'function', p.oid::regprocedure::text, md5(replace(p.prosrc, $1, 'the_schema'))
       FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1
     ORDER BY 1, 2`,
    [schema],
  );
  return JSON.stringify(rows, null, 1);
}
