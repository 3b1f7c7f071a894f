import { randomBytes, randomUUID } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import { type Auth, createAuth, NotReadyError } from '@latchhook/core';
import { postgresStorage } from '@latchhook/postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, HAS_POSTGRES, openSchema, postgresUrl, uniqueSchema } from './open-schema.ts';

type Connection = Parameters<typeof postgresStorage>[0];

const keys = { refreshSecrets: [randomBytes(32)], encryption: [randomBytes(32)] };

function appOn(connection: Connection, schema: string, deadlineMs = PATIENT_MS): Auth {
  const auth = createAuth({
    issuer: 'https://api.example.com',
    users: { findByUsername: async () => null, findById: async () => null },
    storage: postgresStorage(connection, { schema, deadlineMs }),
    keys,
  });
  onTestFinished(() => auth.close());
  return auth;
}

async function findingsOf(auth: Auth) {
  const error: unknown = await auth.ready().catch((thrown: unknown) => thrown);
  if (error instanceof NotReadyError) return error.findings;
  expect(error).toBeUndefined();
  return [];
}

/** A pool of a new role that has only these grants. */
async function connectAsRole(grants: (role: string) => string, parameters = '') {
  const role = `app_${randomUUID().replaceAll('-', '')}`;
  const admin = connect();
  await admin.query(`CREATE ROLE ${role} LOGIN; ${grants(role)}`);
  onTestFinished(async () => {
    const pool = connect();
    await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
  const url = new URL(postgresUrl());
  url.username = role;
  if (parameters !== '') url.searchParams.set('options', parameters);
  return connect(url.href);
}

const usage = (schema: string) => (role: string) => `GRANT USAGE ON SCHEMA ${schema} TO ${role}`;

describe.skipIf(!HAS_POSTGRES)('an app on PostgreSQL', () => {
  it('is ready and healthy with a role that has only USAGE on the schema', async () => {
    const schema = await openSchema();
    const auth = appOn(await connectAsRole(usage(schema)), schema);
    expect(await findingsOf(auth)).toEqual([]);
    expect(await auth.health()).toEqual({ ok: true, storage: 'ok', signingKey: 'ok' });
  });

  it('reports a missing migration', async () => {
    const auth = appOn(connect(), uniqueSchema());
    expect(await findingsOf(auth)).toMatchObject([
      { code: 'storage_not_migrated', message: expect.stringContaining('run migrate(pool)') },
    ]);
    expect(await auth.health()).toMatchObject({ ok: false, storage: 'unavailable' });
  });

  it('reports a missing function, and a schema of an earlier version', async () => {
    const lacking = await openSchema();
    await connect().query(`DROP FUNCTION ${lacking}.create_session`);
    expect(await findingsOf(appOn(connect(), lacking))).toMatchObject([
      { code: 'storage_not_migrated', message: expect.stringContaining('create_session') },
    ]);
    const earlier = await openSchema();
    await connect().query(
      `DELETE FROM ${earlier}.migrations WHERE number = (SELECT max(number) FROM ${earlier}.migrations)`,
    );
    expect(await findingsOf(appOn(connect(), earlier))).toMatchObject([
      { code: 'storage_not_migrated', message: expect.stringContaining('earlier version') },
    ]);
  });

  it('is ready on a schema of a later version', async () => {
    const schema = await openSchema();
    await connect().query(
      `INSERT INTO ${schema}.migrations (number, name) VALUES (999, 'of a later version')`,
    );
    expect(await findingsOf(appOn(connect(), schema))).toEqual([]);
  });

  it('reports missing privileges and what to grant', async () => {
    const schema = await openSchema();
    const stranger = await connectAsRole(() => '');
    expect(await findingsOf(appOn(stranger, schema))).toMatchObject([
      {
        code: 'storage_not_permitted',
        message: expect.stringContaining(`GRANT USAGE ON SCHEMA "${schema}" TO app_`),
      },
    ]);
    await connect().query(`REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC`);
    const user = await connectAsRole(usage(schema));
    expect(await findingsOf(appOn(user, schema))).toMatchObject([
      {
        code: 'storage_not_permitted',
        message: expect.stringContaining('GRANT EXECUTE ON ALL FUNCTIONS'),
      },
    ]);
  });

  it('reports tables that the owner of the functions may not use', async () => {
    const schema = await openSchema();
    const pool = connect();
    const owner = await connectAsRole(usage(schema));
    const { rows } = await owner.query('SELECT current_user AS name');
    const name: string = rows[0].name;
    const functions = await pool.query(
      `SELECT oid::regprocedure::text AS one FROM pg_proc WHERE pronamespace = '${schema}'::regnamespace`,
    );
    for (const { one } of functions.rows)
      await pool.query(`ALTER FUNCTION ${one} OWNER TO ${name}`);
    const [finding, ...others] = await findingsOf(appOn(pool, schema));
    expect(finding).toMatchObject({
      code: 'storage_not_permitted',
      message: expect.stringMatching(/may not read and write arrivals, challenges, .*sessions/),
    });
    expect(others).toEqual([]);
  });

  it('reports read-only transactions and another isolation level', async () => {
    const schema = await openSchema();
    const readOnly = await connectAsRole(usage(schema), '-c default_transaction_read_only=on');
    expect(await findingsOf(appOn(readOnly, schema))).toMatchObject([
      { code: 'storage_setting_unsafe', message: expect.stringContaining('use the primary') },
    ]);
    expect(await appOn(readOnly, schema).health()).toMatchObject({ ok: false });
    const serializable = await connectAsRole(
      usage(schema),
      '-c default_transaction_isolation=serializable',
    );
    expect(await findingsOf(appOn(serializable, schema))).toMatchObject([
      { code: 'storage_setting_unsafe', message: expect.stringContaining('read committed') },
    ]);
  });

  it('reports an unreachable server', async () => {
    const pool = connect('postgres://app@127.0.0.1:1/app');
    const auth = appOn(pool, 'latchhook', 1_000);
    expect(await findingsOf(auth)).toMatchObject([
      {
        part: 'storage',
        code: 'storage_unavailable',
        message: expect.stringContaining('ECONNREFUSED'),
      },
    ]);
    expect(await auth.health()).toMatchObject({ ok: false, storage: 'unavailable' });
  });
});

it('an app on PGlite reports a missing migration', async () => {
  const pglite = await PGlite.create();
  onTestFinished(() => pglite.close());
  expect(await findingsOf(appOn(pglite, 'latchhook'))).toMatchObject([
    { code: 'storage_not_migrated' },
  ]);
});
