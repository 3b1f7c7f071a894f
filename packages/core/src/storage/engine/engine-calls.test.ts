import { expect, it } from 'vitest';
import { EngineCalls } from './engine-calls.ts';
import { memoryEngine } from './memory-engine.ts';
import type { StorageEngine } from './storage-engine.ts';

/** An engine that keeps expired rows: its transactions run later than the clock that deletes rows. */
function keepingEngine(laterMs: number) {
  const inner = memoryEngine({ nowMs: () => 0 });
  /** The number of rows that each transaction has deleted. */
  const deleted: number[] = [];
  const engine: StorageEngine = {
    name: inner.name,
    now: async () => laterMs,
    find: (...args) => inner.find(...args),
    transact: (partition, work) =>
      inner.transact(partition, async (rows) => {
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

it('a read of many expired rows deletes them by transactions of a bounded number of rows', async () => {
  const { inner, engine, deleted } = keepingEngine(1_000);
  const isLive = (i: number) => i < 3 || i % 400 === 0;
  await inner.transact('account', async (rows) => {
    for (let i = 0; i < 1_000; i += 1) {
      const place = String(i).padStart(4, '0');
      const expiresAtMs = isLive(i) ? null : 1_000;
      await rows.put({ key: `row-${i}`, value: i, indexes: { log: place }, expiresAtMs });
    }
  });
  const calls = new EngineCalls(engine, { deadlineMs: 60_000 });
  const range = (limit: number) =>
    calls.transact('account', async (rows) =>
      (await rows.range('log', { limit })).map(({ value }) => value),
    );
  expect(await range(100)).toEqual([0, 1, 2, 400, 800]);
  expect(Math.max(...deleted)).toBeLessThanOrEqual(64);
  const stored = await inner.transact('account', (rows) => rows.range('log'));
  expect(stored).toHaveLength(5);
  expect(await range(2)).toEqual([0, 1]);
});
