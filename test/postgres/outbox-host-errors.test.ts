import { setTimeout as elapsed } from 'node:timers/promises';
import type { SqlTransaction } from '@latchhook/core';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HAS_POSTGRES, postgresUrl } from './open-schema.ts';
import { openOutboxApp, publish } from './outbox-app.ts';

/** The connections and tables for a transaction of the host, and for concurrent transactions. */
interface Fixture {
  readonly tx: Client;
  readonly other: Client;
  /** The table that publishing writes to. */
  readonly outbox: string;
  /** A table of the host. */
  readonly table: string;
}

async function openFixture() {
  const { app, pool, schema } = await openOutboxApp({ worker: false });
  const faults: unknown[] = [];
  app.auth.securityEvents.subscribe((event) => {
    if (event.type === 'fault') faults.push(event);
  });
  const table = `${schema}.contacts`;
  await pool.query(`CREATE TABLE ${table} (id int)`);
  const [tx, other] = [new Client(postgresUrl()), new Client(postgresUrl())];
  for (const client of [tx, other]) {
    client.on('error', () => {});
    await client.connect();
    onTestFinished(() => client.end());
  }
  const fixture: Fixture = { tx, other, outbox: `${schema}.outbox`, table };
  return { app, faults, fixture };
}

/** Passes statements on to the transaction, and records the errors. */
function recording(tx: SqlTransaction) {
  const errors: unknown[] = [];
  const recorded: SqlTransaction = {
    query: async (text, values) => {
      try {
        return await tx.query(text, values);
      } catch (error) {
        errors.push(error);
        throw error;
      }
    },
  };
  return { recorded, errors };
}

describe.skipIf(!HAS_POSTGRES)('publishing in a transaction of the host', () => {
  it.each<
    [what: string, code: string | undefined, prepare: (fixture: Fixture) => Promise<unknown>]
  >([
    [
      'has a serialisation failure',
      '40001',
      async ({ tx, other, table }) => {
        for (const client of [tx, other]) {
          await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
          await client.query(`SELECT count(*) FROM ${table}`);
        }
        await tx.query(`INSERT INTO ${table} VALUES (1)`);
        await other.query(`INSERT INTO ${table} VALUES (2)`);
        await other.query('COMMIT');
      },
    ],
    [
      'is in a deadlock',
      '40P01',
      async ({ tx, other, outbox, table }) => {
        await tx.query(`BEGIN; SET LOCAL deadlock_timeout = 50; LOCK TABLE ${table}`);
        await other.query(`BEGIN; SET LOCAL deadlock_timeout = 60000; LOCK TABLE ${outbox}`);
        other.query(`LOCK TABLE ${table}`).catch(() => {});
      },
    ],
    [
      'exceeds its statement timeout',
      '57014',
      async ({ tx, other, outbox }) => {
        await other.query(`BEGIN; LOCK TABLE ${outbox}`);
        await tx.query('BEGIN; SET LOCAL statement_timeout = 50');
      },
    ],
    [
      'exceeds its lock timeout',
      '55P03',
      async ({ tx, other, outbox }) => {
        await other.query(`BEGIN; LOCK TABLE ${outbox}`);
        await tx.query('BEGIN; SET LOCAL lock_timeout = 50');
      },
    ],
    [
      'has failed already',
      '25P02',
      async ({ tx }) => {
        await tx.query('BEGIN');
        await expect(tx.query('SELECT 1 / 0')).rejects.toThrow();
      },
    ],
    ['is read-only', '25006', ({ tx }) => tx.query('BEGIN READ ONLY')],
    [
      'may not use the schema',
      '42501',
      async ({ tx }) => tx.query('BEGIN; SET LOCAL ROLE pg_read_all_stats'),
    ],
    [
      'has ended',
      undefined,
      async ({ tx }) => {
        await tx.query('BEGIN');
        await tx.end();
      },
    ],
    [
      'loses its connection meanwhile',
      '57P01',
      async ({ tx, other, outbox }) => {
        await other.query(`BEGIN; LOCK TABLE ${outbox}`);
        const { rows } = await tx.query('SELECT pg_backend_pid() AS pid');
        await tx.query('BEGIN');
        const terminated = elapsed(100).then(() =>
          other.query('SELECT pg_terminate_backend($1)', [rows[0].pid]),
        );
        onTestFinished(() => terminated.then(() => {}));
      },
    ],
  ])(
    'rejects with the error of the driver and no fault event if the transaction %s',
    async (_what, code, prepare) => {
      const { app, faults, fixture } = await openFixture();
      await prepare(fixture);
      const { recorded, errors } = recording(fixture.tx);
      const error = await publish(app, recorded).then(
        () => expect.fail('it has published'),
        (thrown: unknown) => thrown,
      );
      expect(error).toBe(errors[0]);
      expect(errors).toHaveLength(1);
      expect(Object(error).code).toBe(code);
      expect(faults).toEqual([]);
    },
  );
});
