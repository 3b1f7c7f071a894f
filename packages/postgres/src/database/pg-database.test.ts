import { EventEmitter } from 'node:events';
import { CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';
import { Pool } from 'pg';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PgDatabase } from './pg-database.ts';
import { toDatabase } from './to-database.ts';

describe('a database on a pool of pg', () => {
  afterEach(() => void vi.useRealTimers());

  it('rejects with the error of the driver if no server listens', async () => {
    // Nothing listens on port 1, so the connection is refused immediately.
    const pool = new Pool({ host: '127.0.0.1', port: 1 });
    onTestFinished(() => pool.end());
    const database = toDatabase(pool);
    expect(database).toBeInstanceOf(PgDatabase);
    await expect(database.query('SELECT 1', [], newDeadline())).rejects.toThrow('ECONNREFUSED');
    await expect(database.transaction(async () => {})).rejects.toThrow('ECONNREFUSED');
  });

  it('sends nothing over a connection that was opened after the deadline', async () => {
    const queries: string[] = [];
    const client = {
      query: async (text: string) => {
        queries.push(text);
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
    expect(queries).toEqual([]);
  });

  it('rejects listen() without calling onLost if the connection ends before LISTEN succeeds', async () => {
    const { client, database } = fixture((text) => {
      // As a client of `pg` does: the query rejects, and `end` is emitted.
      client.emit('end');
      return Promise.reject(new Error(`Connection terminated at ${text}`));
    });
    const recorded = recordCalls();
    await expect(database.listen('outbox', recorded.listener, newDeadline())).rejects.toThrow(
      'LISTEN outbox',
    );
    expect(recorded.calls).toEqual([]);
    expect(client.released).toEqual([true]);
  });

  it('calls onLost if a connection that listens ends', async () => {
    const { client, database } = fixture(async () => ({ rows: [] }));
    const recorded = recordCalls();
    await database.listen('outbox', recorded.listener, newDeadline());
    client.emit('notification');
    client.emit('end');
    expect(recorded.calls).toEqual(['notified', 'lost']);
    expect(client.released).toEqual([true]);
  });

  it('rejects listen() and discards the connection if the server does not respond', async () => {
    vi.useFakeTimers();
    const { client, database } = fixture(() => new Promise(() => {}));
    const rejection = expect(
      database.listen('outbox', recordCalls().listener, newDeadline()),
    ).rejects.toThrow(StorageUnavailableError);
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    await rejection;
    await expect.poll(() => client.released).toEqual([true]);
  });

  it('rejects listen() if the pool yields no connection before the deadline', async () => {
    vi.useFakeTimers();
    const database = new PgDatabase({ connect: () => new Promise(() => {}) });
    const rejection = expect(
      database.listen('outbox', recordCalls().listener, newDeadline()),
    ).rejects.toThrow(StorageUnavailableError);
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    await rejection;
  });
});

const DEADLINE_MS = 60_000;
const newDeadline = () => new CallDeadline('PostgreSQL', DEADLINE_MS);

/** A database on a pool of one connection, with a function of the test that runs the queries. */
function fixture(query: (text: string) => Promise<{ rows: [] }>) {
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

function recordCalls() {
  const calls: string[] = [];
  const listener = {
    onNotified: () => void calls.push('notified'),
    onLost: () => void calls.push('lost'),
  };
  return { calls, listener };
}
