import { randomUUID } from 'node:crypto';
import { postgresStorage } from '@latchhook/postgres';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXPECTED_RESULTS, everyTransition } from '../support/storage/every-transition.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, HAS_POSTGRES, openSchema, postgresUrl } from './open-schema.ts';

/** A pool of a role with only USAGE on the schema. */
async function connectAsApp(schema: string) {
  const role = `app_${randomUUID().replaceAll('-', '')}`;
  const admin = connect();
  await admin.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
  onTestFinished(async () => {
    const pool = connect();
    await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
  const url = new URL(postgresUrl());
  url.username = role;
  return connect(url.href);
}

describe.skipIf(!HAS_POSTGRES)('a role with only USAGE on the schema', () => {
  it('can run every storage call', async () => {
    const schema = await openSchema();
    const clock = turnableClock();
    const storage = postgresStorage(await connectAsApp(schema), {
      schema,
      clock,
      deadlineMs: PATIENT_MS,
    });
    expect(await everyTransition(storage, clock, 'ada')).toEqual(EXPECTED_RESULTS);
  });

  it('can neither read nor delete rows of a table', async () => {
    const schema = await openSchema();
    const app = await connectAsApp(schema);
    for (const table of ['sessions', 'users', 'personal_access_tokens', 'factors']) {
      await expect(app.query(`SELECT FROM ${schema}.${table}`)).rejects.toThrow(/permission/);
      await expect(app.query(`DELETE FROM ${schema}.${table}`)).rejects.toThrow(/permission/);
    }
  });

  it('cannot redirect a function to its own temporary tables', async () => {
    const schema = await openSchema();
    const pool = await connectAsApp(schema);
    const app = await pool.connect();
    await app.query('CREATE TEMPORARY TABLE sessions (user_id text, session_id text)');
    await app.query('SET search_path = pg_temp');
    const { rows } = await app.query(
      `SELECT ${schema}.is_session_live(p_command_expires_at_ms => 9e15::bigint, p_clock_ms => null,
        p_user_id => 'ada', p_session_id => 's1')::text AS answer`,
    );
    app.release();
    expect(rows[0].answer).toContain('over');
  });
});
