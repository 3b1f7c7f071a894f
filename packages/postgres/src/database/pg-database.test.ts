import { EventEmitter } from 'node:events';
import { CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';
import { Pool } from 'pg';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PgDatabase } from './pg-database.ts';
import { toDatabase } from './to-database.ts';

describe('a database on a pool of pg', () => {
  afterEach(() => void vi.useRealTimers());

  it('fails with the error of the driver if no server listens', async () => {
    // Nothing listens on port 1: the connection is rejected at once.
    const pool = new Pool({ host: '127.0.0.1', port: 1 });
    onTestFinished(() => pool.end());
    const database = toDatabase(pool);
    expect(database).toBeInstanceOf(PgDatabase);
    await expect(
      database.query('SELECT 1', [], new CallDeadline('PostgreSQL', 60_000)),
    ).rejects.toThrow('ECONNREFUSED');
    await expect(database.transaction(async () => {})).rejects.toThrow('ECONNREFUSED');
  });

  it('sends nothing over a connection that was opened after the deadline', async () => {
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

  it('rejects listen(), and reports no loss, if the connection ends before LISTEN succeeds', async () => {
    const { client, database } = scripted((text) => {
      // As a client of `pg` does: the query rejects, and `end` is emitted.
      client.emit('end');
      return Promise.reject(new Error(`Connection terminated at ${text}`));
    });
    const recorded = recorder();
    await expect(database.listen('outbox', recorded.listener, soon())).rejects.toThrow(
      'LISTEN outbox',
    );
    expect(recorded.calls).toEqual([]);
    expect(client.released).toEqual([true]);
  });

  it('reports the loss of a connection that listened', async () => {
    const { client, database } = scripted(async () => ({ rows: [] }));
    const recorded = recorder();
    await database.listen('outbox', recorded.listener, soon());
    client.emit('notification');
    client.emit('end');
    expect(recorded.calls).toEqual(['notified', 'lost']);
    expect(client.released).toEqual([true]);
  });

  it('rejects listen() if the server does not answer, and keeps no connection', async () => {
    vi.useFakeTimers();
    const { client, database } = scripted(() => new Promise(() => {}));
    const rejected = expect(database.listen('outbox', recorder().listener, soon())).rejects.toThrow(
      StorageUnavailableError,
    );
    await vi.advanceTimersByTimeAsync(SOON_MS);
    await rejected;
    await expect.poll(() => client.released).toEqual([true]);
  });

  it('rejects listen() if the pool has no connection', async () => {
    vi.useFakeTimers();
    const none = new PgDatabase({ connect: () => new Promise(() => {}) });
    const rejected = expect(none.listen('outbox', recorder().listener, soon())).rejects.toThrow(
      StorageUnavailableError,
    );
    await vi.advanceTimersByTimeAsync(SOON_MS);
    await rejected;
  });
});

const SOON_MS = 60_000;
const soon = () => new CallDeadline('PostgreSQL', SOON_MS);

/** A pool of one connection, whose queries a function of the test answers. */
function scripted(query: (text: string) => Promise<{ rows: [] }>) {
  const client = new ScriptedClient(query);
  return { client, database: new PgDatabase({ connect: async () => client }) };
}

class ScriptedClient extends EventEmitter {
  /** The argument of each `release`. */
  readonly released: (boolean | undefined)[] = [];
  readonly query: (text: string) => Promise<{ rows: [] }>;

  constructor(query: (text: string) => Promise<{ rows: [] }>) {
    super();
    this.query = query;
  }

  release(destroy?: boolean): void {
    this.released.push(destroy);
  }
}

function recorder() {
  const calls: string[] = [];
  const listener = {
    onNotified: () => void calls.push('notified'),
    onLost: () => void calls.push('lost'),
  };
  return { calls, listener };
}
