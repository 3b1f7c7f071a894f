import { originOf, StorageUnavailableError } from '@latchhook/core/storage';
import { migrate, type SqliteDatabase, sqliteStorage } from '@latchhook/sqlite';
import { expect, it } from 'vitest';
import { newFile } from './open-file.ts';

const names = (database: SqliteDatabase) =>
  database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();

it('migrate on SQLite creates the tables once when four connections run it in parallel', async () => {
  const file = await newFile();
  const databases = [1, 2, 3, 4].map(() => file.open());
  await Promise.all([...databases, ...databases].map((database) => migrate(database)));
  const [database] = databases;
  expect(database?.prepare('SELECT number, name FROM latchhook_migrations').all()).toEqual([
    { number: 1, name: 'rows' },
  ]);
  expect(database?.prepare('PRAGMA journal_mode').all()).toEqual([{ journal_mode: 'wal' }]);
});

it('migrate on SQLite changes nothing if a later version has migrated', async () => {
  const database = (await newFile()).open();
  await migrate(database);
  database.exec('DROP TABLE latchhook_index_entries; DROP TRIGGER latchhook_rows_deleted');
  database.exec("INSERT INTO latchhook_migrations VALUES (2, 'entries of another kind', 0)");
  const before = names(database);
  await migrate(database);
  expect(names(database)).toEqual(before);
});

it('calls before migrate on SQLite are rejected with a hint at migrate', async () => {
  const { sessions } = sqliteStorage({ database: (await newFile()).open() });
  const listed = sessions.list('ada');
  await expect(listed).rejects.toThrow(StorageUnavailableError);
  await expect(listed).rejects.toThrow('Has `migrate` been run');
  const message = expect.stringContaining('Has `migrate` been run');
  expect(await originOf(sessions)?.startup?.findings(['sessions'])).toEqual([
    { code: 'storage_not_migrated', message },
  ]);
});

it.each([undefined, 'auth.db', {}])(
  'migrate and sqliteStorage reject %o as a database',
  async (database) => {
    const rejected = expect.objectContaining({ code: 'options_invalid' });
    await expect(migrate(database as SqliteDatabase)).rejects.toEqual(rejected);
    expect(() => sqliteStorage({ database: database as SqliteDatabase })).toThrow(rejected);
  },
);

it('migrate on SQLite rejects with the first error if SQLite itself has rolled back', async () => {
  const database = (await newFile()).open();
  await migrate(database);
  database.exec(`DELETE FROM latchhook_migrations; DROP TABLE latchhook_rows;
    DROP TABLE latchhook_index_entries;
    CREATE TRIGGER full_disk BEFORE INSERT ON latchhook_migrations BEGIN
      SELECT RAISE(ROLLBACK, 'database or disk is full');
    END`);
  await expect(migrate(database)).rejects.toThrow('database or disk is full');
});
