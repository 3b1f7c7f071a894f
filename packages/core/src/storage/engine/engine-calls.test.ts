import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EngineCalls } from './engine-calls.ts';
import { memoryEngine } from './memory-engine.ts';
import type { StorageEngine } from './storage-engine.ts';

/** An engine that keeps expired rows: its transactions run later than the clock that deletes rows. */
function keepingEngine(laterMs: number, delay: () => unknown = () => {}) {
  const inner = memoryEngine({ nowMs: () => 0 });
  /** The number of rows that each transaction has deleted. */
  const deleted: number[] = [];
  const engine: StorageEngine = {
    name: inner.name,
    now: async () => laterMs,
    find: (...args) => inner.find(...args),
    transact: (partition, work) =>
      inner.transact(partition, async (rows) => {
        await delay();
        let count = 0;
        const result = await work(
          {
            get: (key) => rows.get(key),
            range: (...args) => rows.range(...args),
            put: (row) => rows.put(row),
            delete(key) {
              count += 1;
              return rows.delete(key);
            },
          },
          laterMs,
        );
        deleted.push(count);
        return result;
      }),
  };
  return { inner, engine, deleted };
}

it('a read of many expired rows deletes them in transactions of at most 64 rows', async () => {
  const { inner, engine, deleted } = keepingEngine(1_000);
  const isLive = (i: number) => i < 3 || i % 400 === 0;
  await inner.transact('account', async (rows) => {
    for (let i = 0; i < 1_000; i += 1) {
      const sortKey = String(i).padStart(4, '0');
      const expiresAtMs = isLive(i) ? null : 1_000;
      await rows.put({ key: `row-${i}`, value: i, indexes: { log: sortKey }, expiresAtMs });
    }
  });
  const calls = new EngineCalls(engine, { deadlineMs: 60_000 });
  const range = (limit: number) =>
    calls.transact('account', async (rows) =>
      (await rows.range('log', { limit })).map(({ value }) => value),
    );
  const countStored = () =>
    inner.transact('account', async (rows) => (await rows.range('log')).length);
  // A call deletes for a tenth of a second at most, so on a busy machine the next ones delete the rest.
  await expect
    .poll(async () => [await range(100), await countStored()])
    .toEqual([[0, 1, 2, 400, 800], 5]);
  expect(Math.max(...deleted)).toBeLessThanOrEqual(64);
  expect(await range(2)).toEqual([0, 1]);
});

describe('a read of more expired rows than can be deleted in time', () => {
  async function expiredQueue(delay: () => unknown) {
    const { inner, engine, deleted } = keepingEngine(1_000, delay);
    await inner.transact('account', async (rows) => {
      for (let i = 0; i < 2_000; i += 1) {
        const sortKey = String(i).padStart(4, '0');
        const expiresAtMs = i === 1_999 ? null : 1_000;
        await rows.put({ key: `row-${i}`, value: i, indexes: { fresh: sortKey }, expiresAtMs });
      }
    });
    const calls = new EngineCalls(engine, { deadlineMs: 60_000 });
    const read = () =>
      calls.transact('account', async (rows) => {
        const values = (await rows.range('fresh', { limit: 1 })).map(({ value }) => value);
        return { values, isCut: rows.isCut };
      });
    return { read, deleted };
  }

  it('is marked as cut, and later reads find the rest', async () => {
    const { read, deleted } = await expiredQueue(() => sleep(20));
    expect(await read()).toEqual({ values: [], isCut: true });
    const firstDeleted = deleted.reduce((sum, count) => sum + count, 0);
    expect(firstDeleted).toBeGreaterThan(0);
    expect(firstDeleted).toBeLessThan(1_000);
    await expect.poll(read).toEqual({ values: [1_999], isCut: false });
  });

  it('rejects with the error of a deletion that fails', async () => {
    let transactions = 0;
    const { read } = await expiredQueue(async () => {
      transactions += 1;
      if (transactions === 2) throw new Error('the deletion fails');
    });
    await expect(read()).rejects.toThrow('the deletion fails');
    await expect.poll(read).toEqual({ values: [1_999], isCut: false });
  });
});
