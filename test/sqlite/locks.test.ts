import { StorageUnavailableError } from '@latchhook/core/storage';
import { sqliteStorage } from '@latchhook/sqlite';
import { describe, expect, it } from 'vitest';
import { AMPLE_LIMITS, newSession, rotateRequest } from '../support/storage/login-samples.ts';
import { migratedFile } from './open-file.ts';

describe('a SQLite file that another connection has locked', () => {
  it('delays a call without blocking the event loop', async () => {
    const file = await migratedFile();
    const { sessions } = sqliteStorage({ database: file.open() });
    const other = file.open();
    other.exec('BEGIN IMMEDIATE');
    const created = sessions.create(newSession('s1'), AMPLE_LIMITS);
    await new Promise((resolve) => setTimeout(resolve, 50));
    other.exec('COMMIT');
    expect(await created).toMatchObject({ outcome: 'created' });
  });

  it('makes calls reject at their deadline without a later effect', async () => {
    const file = await migratedFile();
    const { sessions } = sqliteStorage({ database: file.open(), deadlineMs: 50 });
    const other = file.open();
    other.exec('BEGIN IMMEDIATE');
    const calls = [1, 2, 3].map((i) => sessions.create(newSession(`s${i}`), AMPLE_LIMITS));
    for (const call of calls) await expect(call).rejects.toThrow(StorageUnavailableError);
    // A call may still take effect within a quarter of a second after its deadline.
    await new Promise((resolve) => setTimeout(resolve, 300));
    other.exec('COMMIT');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await sessions.list(newSession('s1').userId)).toEqual([]);
  });
});

describe('a SQLite connection', () => {
  it('runs the transactions of two storages one after the other', async () => {
    const database = (await migratedFile()).open();
    const first = sqliteStorage({ database });
    const second = sqliteStorage({ database });
    await first.sessions.create(newSession('s1'), AMPLE_LIMITS);
    const rotations = [first, second, first, second].map(({ sessions }) =>
      sessions.rotate(rotateRequest(1)),
    );
    const outcomes = (await Promise.all(rotations)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['rotated', 'replayed', 'replayed', 'replayed']);
  });

  it('rejects calls during a transaction of the host, and leaves that transaction open', async () => {
    const database = (await migratedFile()).open();
    database.exec('CREATE TABLE notes (text TEXT)');
    const { sessions } = sqliteStorage({ database });
    database.exec("BEGIN; INSERT INTO notes VALUES ('mine')");
    await expect(sessions.list('ada')).rejects.toThrow('needs a connection of its own');
    database.exec('COMMIT');
    expect(database.prepare('SELECT * FROM notes').all()).toHaveLength(1);
  });

  it('rejects calls once it is closed', async () => {
    const { sessions } = sqliteStorage({ database: (await migratedFile()).open() });
    const closed = (await migratedFile()).open();
    const storage = sqliteStorage({ database: closed });
    closed.close();
    await expect(storage.sessions.list('ada')).rejects.toThrow(StorageUnavailableError);
    expect(await sessions.list('ada')).toEqual([]);
  });
});
