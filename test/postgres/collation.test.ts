import { migrate, postgresStorage } from '@latchhook/postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { enrol } from '../support/storage/credential-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, HAS_POSTGRES, openSchema, postgresUrl, uniqueSchema } from './open-schema.ts';

/** A database with the default order of ICU, `a` before `B`. The end of the test drops it. */
async function createIcuDatabase(): Promise<string> {
  const admin = connect();
  const database = uniqueSchema();
  await admin.query(`CREATE DATABASE ${database}
    TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'und'`);
  onTestFinished(async () => void (await connect().query(`DROP DATABASE ${database}`)));
  const url = new URL(postgresUrl());
  url.pathname = database;
  return url.href;
}

async function hasIcu(): Promise<boolean> {
  const { rows } = await connect().query(
    `SELECT FROM pg_collation WHERE collprovider = 'i' LIMIT 1`,
  );
  return rows.length > 0;
}

describe.skipIf(!HAS_POSTGRES)('text in PostgreSQL', () => {
  it('has the collation C in every index', async () => {
    const { rows } = await connect().query(
      `SELECT i.indexrelid::regclass::text AS index, c.collname AS collation
         FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid,
              unnest(i.indcollation::oid[]) AS used JOIN pg_collation c ON c.oid = used
        WHERE t.relnamespace = $1::regnamespace AND c.collname <> 'C'`,
      [await openSchema()],
    );
    expect(rows).toEqual([]);
  });

  it('is ordered by its bytes under any locale of the database', async (context) => {
    if (!(await hasIcu())) context.skip('this PostgreSQL was built without ICU');
    const pool = connect(await createIcuDatabase());
    const { rows } = await pool.query(`SELECT 'a' < 'B' AS is_icu`);
    expect(rows).toEqual([{ is_icu: true }]);
    await migrate(pool);
    const { mfa } = postgresStorage(pool, { deadlineMs: PATIENT_MS });
    for (const userId of ['a', 'é', 'B']) await enrol(mfa, userId);
    const owners: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const { items, nextCursor } = await mfa.listEncrypted({ limit: 1, cursor });
      owners.push(...items.map(({ owner }) => owner));
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    expect(owners).toEqual(['B', 'a', 'é']);
  });
});
