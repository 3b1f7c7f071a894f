import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { BufferedRows, type Row, type Rows, type StorageEngine } from '@latchhook/core/storage';
import { CONTRACT } from '../engine/contract.ts';
import {
  type EngineMutant,
  engineThat,
  type Mutation,
  mutantsThatBreak,
  rowsThat,
} from './engine-mutant.ts';
import { unlocked, type Writes, write } from './unlocked.ts';

/** Reads without a lock, and writes all at once. */
const lockless = engineThat((sound) => ({
  async transact(partition, work) {
    const rows = new BufferedRows(unlocked(sound, partition));
    const answer = await work(rows, await sound.now());
    await sound.transact(partition, (stored) => write(stored, rows.writes));
    return answer;
  },
}));

/** Writes at once, and takes it back where work throws. */
const dirty = engineThat((sound) => ({
  async transact(partition, work) {
    const former = new Map<string, Row | null>();
    const step = (key: string, change: (rows: Rows) => unknown) =>
      sound.transact(partition, async (rows) => {
        if (!former.has(key)) former.set(key, await rows.get(key));
        await change(rows);
      });
    try {
      const rows: Rows = {
        ...unlocked(sound, partition),
        put: (row) => step(row.key, (stored) => stored.put(row)),
        delete: (key) => step(key, (stored) => stored.delete(key)),
      };
      return await work(rows, await sound.now());
    } catch (error) {
      await sound.transact(partition, (rows) => write(rows, former));
      throw error;
    }
  },
}));

export const ISOLATION_MUTANTS: readonly EngineMutant[] = [
  ...mutantsThatBreak(CONTRACT.serialisable, {
    'deletes a partition that it has emptied, with the rows put since': engineThat((sound) => ({
      async transact(partition, work) {
        let isEmptied = false;
        const answer = await sound.transact(partition, async (rows, nowMs) => {
          const before = await rows.range('i');
          const result = await work(rows, nowMs);
          isEmptied = before.length > 0 && (await rows.range('i')).length === 0;
          return result;
        });
        if (!isEmptied) return answer;
        await delay(20);
        await sound.transact(partition, async (rows) => {
          for (const { key } of await rows.range('i')) await rows.delete(key);
        });
        return answer;
      },
    })),
    'takes no lock': lockless,
    'locks per connection only': engineThat((sound) => {
      const engine = lockless(sound);
      let last: Promise<unknown> = Promise.resolve();
      return {
        transact(partition, work) {
          const turn = last.then(() => engine.transact(partition, work));
          last = turn.catch(() => {});
          return turn;
        },
      };
    }),
    'reads the row of firstKey before it has the lock': engineThat((sound) => ({
      async transact(partition, work, firstKey = '') {
        const first = await sound.transact(partition, (rows) => rows.get(firstKey));
        return sound.transact(partition, (rows, nowMs) =>
          work(withFirst(rows, firstKey, first), nowMs),
        );
      },
    })),
    'checks only rows that it writes for conflicts': comparing((key, writes) => writes.has(key)),
    'checks only rows that it got for conflicts, and no ranges': comparing(() => true),
  }),

  ...mutantsThatBreak(CONTRACT.visible, {
    'shows uncommitted rows to other transactions': dirty,
    'returns the row of firstKey as it was at the lock, without later writes': engineThat(
      (sound) => ({
        transact: (partition, work, firstKey = '') =>
          sound.transact(partition, async (rows, nowMs) =>
            work(withFirst(rows, firstKey, await rows.get(firstKey)), nowMs),
          ),
      }),
    ),
    'does not read its own writes': engineThat((sound) => ({
      transact: (partition, work) =>
        sound.transact(partition, async (stored, nowMs) => {
          const buffer = new BufferedRows(stored);
          const answer = await work(readingOnly(stored, buffer), nowMs);
          await write(stored, buffer.writes);
          return answer;
        }),
    })),
    'leaves its own writes out of ranges': engineThat((sound) => ({
      transact: (partition, work) =>
        sound.transact(partition, async (stored, nowMs) => {
          const buffer = new BufferedRows(stored);
          const rows = { ...readingOnly(stored, buffer), get: (key: string) => buffer.get(key) };
          const answer = await work(rows, nowMs);
          await write(stored, buffer.writes);
          return answer;
        }),
    })),
    'returns undefined for a missing row': rowsThat((rows) => ({
      get: async (key) => (await rows.get(key)) ?? (undefined as unknown as null),
    })),
  }),

  ...mutantsThatBreak(CONTRACT.again, {
    'runs work again on top of its former writes': engineThat((sound) => ({
      transact: (partition, work) =>
        sound.transact(partition, async (rows, nowMs) => {
          await work(rows, nowMs);
          return work(rows, nowMs);
        }),
    })),
  }),

  ...mutantsThatBreak(CONTRACT.found, { 'finds uncommitted rows': dirty }),
];

/** Runs work on a copy, and again if one of the rows that it compares has changed since it was read. */
function comparing(compares: (key: string, writes: Writes) => boolean): Mutation {
  const transactOn = (sound: StorageEngine): StorageEngine['transact'] =>
    async function transact(partition, work) {
      for (;;) {
        const read = new Map<string, Row | null>();
        const reads = unlocked(sound, partition);
        const rows = new BufferedRows({
          range: reads.range,
          async get(key) {
            const row = await reads.get(key);
            read.set(key, row);
            return row;
          },
        });
        const answer = await work(rows, await sound.now());
        const isWritten = await sound.transact(partition, async (stored) => {
          for (const [key, row] of read) {
            if (compares(key, rows.writes) && !isDeepStrictEqual(await stored.get(key), row))
              return false;
          }
          await write(stored, rows.writes);
          return true;
        });
        if (isWritten) return answer;
      }
    };
  return engineThat((sound) => ({ transact: transactOn(sound) }));
}

/** Rows of which one is as it was read before. */
function withFirst(rows: Rows, firstKey: string | undefined, first: Row | null): Rows {
  return {
    get: (key) => (key === firstKey ? first : rows.get(key)),
    range: (index, request) => rows.range(index, request),
    put: (row) => rows.put(row),
    delete: (key) => rows.delete(key),
  };
}

function readingOnly(stored: Rows, buffer: BufferedRows): Rows {
  return {
    get: (key) => stored.get(key),
    range: (index, request) => stored.range(index, request),
    put: (row) => buffer.put(row),
    delete: (key) => buffer.delete(key),
  };
}
