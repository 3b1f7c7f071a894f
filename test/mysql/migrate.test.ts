import { originOf, StorageUnavailableError } from '@latchhook/core/storage';
import { type MysqlPool, migrate, mysqlStorage } from '@latchhook/mysql';
import { createPool as createCallbackPool } from 'mysql2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HAS_MYSQL, mysqlPool, newMysqlDatabase } from '../support/servers/mysql-databases.ts';

async function newPool() {
  const pool = mysqlPool(await newMysqlDatabase());
  onTestFinished(() => pool.end());
  return pool;
}

describe.skipIf(!HAS_MYSQL)('migrate', () => {
  it('creates the tables once when four processes run it in parallel', async () => {
    const pool = await newPool();
    await Promise.all([1, 2, 3, 4].map(() => migrate(pool)));
    const [migrations] = await pool.query('SELECT number, name FROM latchhook_migrations');
    expect(migrations).toEqual([{ number: 1, name: 'rows' }]);
    const [[locks]] = (await pool.query({
      sql: 'SELECT COUNT(*) FROM latchhook_locks',
      rowsAsArray: true,
    })) as unknown as [[number[]]];
    expect(locks).toEqual([1024]);
  });

  it('resumes after an interruption', async () => {
    const pool = await newPool();
    await migrate(pool);
    await pool.query('DROP TABLE latchhook_locks');
    await pool.query('DELETE FROM latchhook_migrations');
    await migrate(pool);
    const { sessions } = mysqlStorage({ pool });
    expect(await sessions.list('ada')).toEqual([]);
  });

  it('creates procedures that a dump has left out', async () => {
    const pool = await newPool();
    await migrate(pool);
    await pool.query('DROP PROCEDURE latchhook_begin');
    const { sessions } = mysqlStorage({ pool });
    await expect(sessions.list('ada')).rejects.toThrow('Has `migrate` been run');
    await migrate(pool);
    expect(await sessions.list('ada')).toEqual([]);
  });

  it('changes nothing if a later version has migrated', async () => {
    const pool = await newPool();
    await migrate(pool);
    await pool.query('DROP TABLE latchhook_index_entries');
    await pool.query("INSERT INTO latchhook_migrations (number, name) VALUES (2, 'other entries')");
    await migrate(pool);
    const [tables] = await pool.query("SHOW TABLES LIKE 'latchhook\\_places'");
    expect(tables).toEqual([]);
  });

  it('is named in the error of a call and by ready() if it has not been run', async () => {
    const { sessions } = mysqlStorage({ pool: await newPool() });
    const listed = sessions.list('ada');
    await expect(listed).rejects.toThrow(StorageUnavailableError);
    await expect(listed).rejects.toThrow('Has `migrate` been run');
    const message = expect.stringContaining('Has `migrate` been run');
    expect(await originOf(sessions)?.startup?.findings(['sessions'])).toEqual([
      { code: 'storage_not_migrated', message },
    ]);
  });
});

it.each([
  ['undefined', undefined],
  ['a URL', 'mysql://localhost'],
  ['an empty object', {}],
  ['a pool with callbacks', createCallbackPool({})],
])('migrate and mysqlStorage reject %s instead of a pool with promises', async (_, pool) => {
  const rejected = expect.objectContaining({ code: 'options_invalid' });
  await expect(migrate(pool as MysqlPool)).rejects.toEqual(rejected);
  expect(() => mysqlStorage({ pool: pool as MysqlPool })).toThrow(rejected);
});
