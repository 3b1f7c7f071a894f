import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { BufferedRows, type Row, type Rows, type StorageEngine } from '@latchhook/core/storage';
import { CONTRACT } from '../engine/contract.ts';
import {
  type EngineMutant,
  faultyEngine,
  faultyRows,
  faultyWork,
  type Mutation,
  mutantsThatBreak,
  rowMethods,
} from './engine-mutant.ts';
import { unlocked, unlockedWork, type Writes, write } from './unlocked.ts';

/** Reads without a lock, and writes all rows at the end in one transaction. */
const lockless = unlockedWork((writes, store) => store(writes));

/** Writes each row immediately, and restores the former rows if work throws. */
const dirty = faultyEngine((engine) => ({
  async transact(partition, work) {
    const former = new Map<string, Row | null>();
    const step = (key: string, change: (rows: Rows) => unknown) =>
      engine.transact(partition, async (rows) => {
        if (!former.has(key)) former.set(key, await rows.get(key));
        await change(rows);
      });
    try {
      const rows: Rows = {
        ...unlocked(engine, partition),
        put: (row) => step(row.key, (stored) => stored.put(row)),
        delete: (key) => step(key, (stored) => stored.delete(key)),
      };
      return await work(rows, await engine.now());
    } catch (error) {
      await engine.transact(partition, (rows) => write(rows, former));
      throw error;
    }
  },
}));

export const ISOLATION_MUTANTS: readonly EngineMutant[] = [
  ...mutantsThatBreak(CONTRACT.serialisable, {
    'deletes an emptied partition together with rows that were put into it meanwhile': faultyEngine(
      (engine) => ({
        async transact(partition, work) {
          let isEmptied = false;
          const result = await engine.transact(partition, async (rows, nowMs) => {
            const before = await rows.range('i');
            const workResult = await work(rows, nowMs);
            isEmptied = before.length > 0 && (await rows.range('i')).length === 0;
            return workResult;
          });
          if (!isEmptied) return result;
          await delay(20);
          await engine.transact(partition, async (rows) => {
            for (const { key } of await rows.range('i')) await rows.delete(key);
          });
          return result;
        },
      }),
    ),
    'takes no lock': lockless,
    'locks out only transactions of the same connection': faultyEngine((engine) => {
      const locklessEngine = lockless(engine);
      let last: Promise<unknown> = Promise.resolve();
      return {
        transact(partition, work) {
          const turn = last.then(() => locklessEngine.transact(partition, work));
          last = turn.catch(() => {});
          return turn;
        },
      };
    }),
    'reads the row of firstKey before it has the lock': faultyEngine((engine) => ({
      async transact(partition, work, firstKey = '') {
        const first = await engine.transact(partition, (rows) => rows.get(firstKey));
        return engine.transact(partition, (rows, nowMs) =>
          work(withFirst(rows, firstKey, first), nowMs),
        );
      },
    })),
    'detects conflicts only in rows that work has written': compareBeforeWriting((key, writes) =>
      writes.has(key),
    ),
    'detects conflicts in single rows, but not in ranges': compareBeforeWriting(() => true),
  }),

  ...mutantsThatBreak(CONTRACT.visible, {
    'shows uncommitted rows to other transactions': dirty,
    'returns the row of firstKey as it was before the writes of the transaction': faultyEngine(
      (engine) => ({
        transact: (partition, work, firstKey = '') =>
          engine.transact(partition, async (rows, nowMs) =>
            work(withFirst(rows, firstKey, await rows.get(firstKey)), nowMs),
          ),
      }),
    ),
    'hides the writes of a transaction from its own reads': faultyReads(
      ({ get, range }, buffer) => ({
        ...buffer,
        get,
        range,
      }),
    ),
    'hides the writes of a transaction from its own ranges': faultyReads(({ range }, buffer) => ({
      ...buffer,
      range,
    })),
    'returns undefined for a missing row': faultyRows((rows) => ({
      get: async (key) => (await rows.get(key)) ?? (undefined as unknown as null),
    })),
  }),

  ...mutantsThatBreak(CONTRACT.again, {
    'runs work again on top of its former writes': faultyWork(async (work, rows, nowMs) => {
      await work(rows, nowMs);
      return work(rows, nowMs);
    }),
  }),

  ...mutantsThatBreak(CONTRACT.found, { 'finds uncommitted rows': dirty }),
];

/** Runs work without a lock, and runs it again if a compared row has changed since it was read. */
function compareBeforeWriting(compares: (key: string, writes: Writes) => boolean): Mutation {
  const transactOn = (engine: StorageEngine): StorageEngine['transact'] =>
    async function transact(partition, work) {
      for (;;) {
        const readRows = new Map<string, Row | null>();
        const reads = unlocked(engine, partition);
        const rows = new BufferedRows({
          range: reads.range,
          async get(key) {
            const row = await reads.get(key);
            readRows.set(key, row);
            return row;
          },
        });
        const result = await work(rows, await engine.now());
        const isWritten = await engine.transact(partition, async (stored) => {
          for (const [key, row] of readRows) {
            if (compares(key, rows.writes) && !isDeepStrictEqual(await stored.get(key), row))
              return false;
          }
          await write(stored, rows.writes);
          return true;
        });
        if (isWritten) return result;
      }
    };
  return faultyEngine((engine) => ({ transact: transactOn(engine) }));
}

/** The rows, but with `first` as the row of `firstKey`. */
function withFirst(rows: Rows, firstKey: string | undefined, first: Row | null): Rows {
  return { ...rowMethods(rows), get: (key) => (key === firstKey ? first : rows.get(key)) };
}

/** Buffers the writes of work, which gets the rows that `readable` makes of the stored and the buffered ones. */
function faultyReads(readable: (stored: Rows, buffer: Rows) => Rows): Mutation {
  return faultyWork(async (work, stored, nowMs) => {
    const buffer = new BufferedRows(stored);
    const result = await work(readable(rowMethods(stored), rowMethods(buffer)), nowMs);
    await write(stored, buffer.writes);
    return result;
  });
}
