import { CallDeadline, StorageUnavailableError } from '@latchhook/core';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PgDatabase } from './pg-database.ts';
import { toDatabase } from './to-database.ts';

describe('a database on a pool of pg', () => {
  it('fails with the error of the driver where nobody listens', async () => {
    // Port 1 is nobody's: the connection is refused at once.
    const pool = new Pool({ host: '127.0.0.1', port: 1 });
    onTestFinished(() => pool.end());
    const database = toDatabase(pool);
    expect(database).toBeInstanceOf(PgDatabase);
    await expect(
      database.query('SELECT 1', [], new CallDeadline('PostgreSQL', 5000)),
    ).rejects.toThrow('ECONNREFUSED');
    await expect(database.transaction(async () => {})).rejects.toThrow('ECONNREFUSED');
  });

  it('asks nothing any more by a connection that came too late', async () => {
    const asked: string[] = [];
    const client = {
      query: async (text: string) => {
        asked.push(text);
        return { rows: [] };
      },
      on: () => {},
      off: () => {},
      release: () => {},
    };
    const deadline = new CallDeadline('PostgreSQL', 1);
    const database = new PgDatabase({
      connect: async () => {
        while (!deadline.passed);
        return client;
      },
    });
    await expect(database.query('SELECT 1', [], deadline)).rejects.toThrow(StorageUnavailableError);
    expect(asked).toEqual([]);
  });
});
