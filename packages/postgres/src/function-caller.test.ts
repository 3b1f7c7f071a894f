import { performance } from 'node:perf_hooks';
import { setTimeout as elapsed } from 'node:timers/promises';
import { CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';
import { describe, expect, it } from 'vitest';
import type { Database, Row } from './database/database.ts';
import { defineFunction } from './define-function.ts';
import { createFunctionCaller } from './function-caller.ts';
import { EXPIRED } from './functions/internal/now-unless-expired.ts';

const greet = defineFunction({ name: 'greet', args: { userId: 'text' }, body: '' });

/** A server whose clock the test sets. It rejects late calls as `now_unless_expired` does. */
function serverAt(clock: { aheadMs: number }) {
  const statements: { readonly text: string; readonly values: readonly unknown[] }[] = [];
  const database: Database = {
    query: async (text, values) => {
      statements.push({ text, values });
      const serverMs = performance.now() + clock.aheadMs;
      const row: Row = { server_ms: String(serverMs), result: '{"outcome":"greeted"}' };
      if (values.length === 0 || serverMs <= Number(values[0])) return [row];
      throw Object.assign(new Error('expired'), {
        code: EXPIRED,
        detail: String(Math.floor(serverMs)),
      });
    },
    transaction: () => Promise.reject(new Error('not asked for')),
    listen: () => Promise.reject(new Error('not asked for')),
  };
  return { database, statements };
}

const newDeadline = () => new CallDeadline('PostgreSQL', 60_000);

const CLOCK_JUMP_MS = 3_600_000;
const DEADLINE_MS = 20;

describe('a call of a database function', () => {
  it('needs only one round trip once the first call has read the time of the server', async () => {
    const { database, statements } = serverAt({ aheadMs: 1e12 });
    const call = createFunctionCaller(database, { schema: 'latchhook', newDeadline });
    for (let round = 0; round < 3; round += 1) await call(greet, { userId: 'ada' });
    expect(statements.map(({ text }) => text.includes('greet'))).toEqual([false, true, true, true]);
  });

  it('is repeated once if the clock of the server has jumped ahead', async () => {
    const clock = { aheadMs: 0 };
    const { database, statements } = serverAt(clock);
    const call = createFunctionCaller(database, { schema: 'latchhook', newDeadline });
    await call(greet, { userId: 'ada' });
    clock.aheadMs = CLOCK_JUMP_MS;
    expect((await call(greet, { userId: 'ada' })).outcome(['greeted'])).toBe('greeted');
    // The time of the server, the first call, and the second call twice.
    expect(statements).toHaveLength(4);
  });

  it('is rejected with StorageUnavailableError if it reaches the server after the deadline', async () => {
    const { database } = serverAt({ aheadMs: 0 });
    const slowDatabase: Database = {
      ...database,
      query: async (text, values, deadline) => {
        // Longer than the deadline and the slack of the guard, 250 ms, together.
        if (values.length > 0) await elapsed(15 * DEADLINE_MS);
        return database.query(text, values, deadline);
      },
    };
    const call = createFunctionCaller(slowDatabase, {
      schema: 'latchhook',
      newDeadline: () => new CallDeadline('PostgreSQL', DEADLINE_MS),
    });
    await expect(call(greet, { userId: 'ada' })).rejects.toThrow(StorageUnavailableError);
  });

  it('is rejected with StorageUnavailableError if the connection of the first call is refused', async () => {
    const { database } = serverAt({ aheadMs: 0 });
    const refused = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    const query = () => Promise.reject(refused);
    const call = createFunctionCaller({ ...database, query }, { schema: 'mine', newDeadline });
    const rejectedCall = call(greet, { userId: 'ada' });
    await expect(rejectedCall).rejects.toThrow(StorageUnavailableError);
    await expect(rejectedCall).rejects.toThrow('PostgreSQL is unavailable: ECONNREFUSED.');
  });

  it('passes its arguments by name and escapes NUL in them', async () => {
    const { database, statements } = serverAt({ aheadMs: 0 });
    const call = createFunctionCaller(database, { schema: 'mine', newDeadline });
    await call(greet, { userId: 'a\u0000da' });
    expect(statements[1]?.text).toContain(
      '"mine".greet(p_command_expires_at_ms => $1, p_clock_ms => $2,',
    );
    expect(statements[1]?.values.slice(1)).toEqual([null, 'a\\u0000da']);
  });
});
