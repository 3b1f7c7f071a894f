import { PGlite } from '@electric-sql/pglite';
import { CallDeadline } from '@latchhook/core/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toDatabase } from './to-database.ts';

const PATIENT_MS = 60_000;

describe('a database on PGlite', () => {
  const pglite = new PGlite();
  const database = toDatabase(pglite);
  // PGlite takes seconds to open, and longer on a busy machine.
  beforeAll(() => pglite.waitReady, PATIENT_MS);
  afterAll(() => pglite.close());
  const newDeadline = () => new CallDeadline('PostgreSQL', PATIENT_MS);

  it('runs a statement with its values', async () => {
    const rows = await database.query('SELECT $1::text AS said', ['hello'], newDeadline());
    expect(rows).toEqual([{ said: 'hello' }]);
  });

  it('rolls back a transaction that throws', async () => {
    await database.query('CREATE TABLE notes (note text)', [], newDeadline());
    const failing = database.transaction(async (transaction) => {
      await transaction.query('INSERT INTO notes VALUES ($1)', ['lost']);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await database.query('SELECT FROM notes', [], newDeadline())).toEqual([]);
  });

  it('runs transactions under READ COMMITTED even if the default is serializable', async () => {
    await pglite.exec('SET default_transaction_isolation = serializable');
    const level = await database.transaction((transaction) =>
      transaction.query('SHOW transaction_isolation', []),
    );
    expect(level).toEqual([{ transaction_isolation: 'read committed' }]);
  });
});
