import type { Row, Rows } from '@latchhook/core/storage';
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

const YEAR_MS = 365 * 86_400_000;

export const ROW_MUTANTS: readonly EngineMutant[] = [
  ...mutantsThatBreak(CONTRACT.put, {
    'keeps the sort keys of a replaced row': changeReplacements((row, former) => ({
      ...row,
      indexes: { ...former.indexes, ...row.indexes },
    })),
    'merges the value of a row into the value that it replaces': changeReplacements(
      (row, former) => ({
        ...row,
        value:
          isObject(row.value) && isObject(former.value)
            ? { ...former.value, ...row.value }
            : row.value,
      }),
    ),
    'keeps the expiry of a replaced row': changeReplacements((row, { expiresAtMs }) => ({
      ...row,
      expiresAtMs,
    })),
    'ignores put() of an existing key': changeReplacements((_, former) => former),
    'ignores put() under the key of an expired row': faultyEngine((engine) => {
      const expiries = new Map<string, number>();
      return faultyRows((rows, nowMs) => ({
        async put(row) {
          if (nowMs >= (expiries.get(row.key) ?? Infinity)) return;
          if (row.expiresAtMs !== null) expiries.set(row.key, row.expiresAtMs);
          await rows.put(row);
        },
      }))(engine);
    }),
    'stores rows only at the end of work, with later changes to their objects': faultyWork(
      async (work, rows, nowMs) => {
        const putRows: Row[] = [];
        const faulty: Rows = {
          ...rowMethods(rows),
          get: (key) => putRows.findLast((row) => row.key === key) ?? rows.get(key),
          put: (row) => void putRows.push(row),
        };
        const result = await work(faulty, nowMs);
        for (const row of putRows) await rows.put(row);
        return result;
      },
    ),
  }),

  ...mutantsThatBreak(CONTRACT.together, {
    'returns one row for all keys that are got at once': faultyRows((rows) => {
      let lastKey = '';
      return {
        async get(key) {
          lastKey = key;
          await Promise.resolve();
          return rows.get(lastKey);
        },
      };
    }),
  }),

  ...mutantsThatBreak(CONTRACT.delete, {
    'throws on the deletion of a missing row': faultyRows((rows) => ({
      async delete(key) {
        if ((await rows.get(key)) === null) throw new Error('no such row');
        await rows.delete(key);
      },
    })),
    'keeps a deleted row in its indexes': faultyRows((rows) => ({
      async delete(key) {
        const row = await rows.get(key);
        if (row !== null) await rows.put({ ...row, value: null });
      },
    })),
    'gives the indexes of a deleted row to the next row with its key': faultyEngine((engine) => {
      const former = new Map<string, Row['indexes']>();
      return {
        transact: (partition, work) =>
          engine.transact(partition, (rows, nowMs) => {
            const nameOf = (key: string) => `${partition} ${key}`;
            const faulty: Rows = {
              ...rowMethods(rows),
              put: (row) =>
                rows.put({ ...row, indexes: { ...former.get(nameOf(row.key)), ...row.indexes } }),
              async delete(key) {
                const row = await rows.get(key);
                if (row !== null) former.set(nameOf(key), row.indexes);
                await rows.delete(key);
              },
            };
            return work(faulty, nowMs);
          }),
      };
    }),
    'deletes the first row of the same index in addition': faultyRows((rows) => ({
      async delete(key) {
        const row = await rows.get(key);
        await rows.delete(key);
        for (const index of Object.keys(row?.indexes ?? {})) {
          for (const other of await rows.range(index, { limit: 1 })) await rows.delete(other.key);
        }
      },
    })),
  }),

  ...mutantsThatBreak(CONTRACT.expiry, {
    'loses rows a millisecond before they expire': loseRows(
      (row, nowMs) => nowMs + 1 >= (row.expiresAtMs ?? Infinity),
    ),
    'loses rows after a year even if they have no expiry': loseRows(
      ({ expiresAtMs }, nowMs) => expiresAtMs === null && nowMs > Date.now() + YEAR_MS,
    ),
    'rounds expiries to seconds': faultyRows((rows) => ({
      put: ({ expiresAtMs, ...row }) =>
        rows.put({
          ...row,
          expiresAtMs: expiresAtMs === null ? null : 1000 * Math.round(expiresAtMs / 1000),
        }),
    })),
    'returns 0 as the expiry of rows that have none': faultyRows((rows) => ({
      async range(index, request) {
        const inRange = await rows.range(index, request);
        return inRange.map((row) => ({ ...row, expiresAtMs: row.expiresAtMs ?? 0 }));
      },
    })),
    'loses a row at its first expiry even if it was put again with a later expiry': faultyEngine(
      (engine) => {
        const firstMs = new Map<string, number>();
        return faultyRows((rows, nowMs) => ({
          async put(row) {
            if (row.expiresAtMs !== null && !firstMs.has(row.key))
              firstMs.set(row.key, row.expiresAtMs);
            await rows.put(row);
          },
          async range(index, request) {
            const inRange = await rows.range(index, request);
            return inRange.filter(({ key }) => nowMs < (firstMs.get(key) ?? Infinity));
          },
        }))(engine);
      },
    ),
  }),
];

/** Stores another row than was put if the key has a row already. */
function changeReplacements(change: (row: Row, former: Row) => Row): Mutation {
  return faultyRows((rows) => ({
    async put(row) {
      const former = await rows.get(row.key);
      await rows.put(former === null ? row : change(row, former));
    },
  }));
}

function loseRows(isLost: (row: Row, nowMs: number) => boolean): Mutation {
  return faultyRows((rows, nowMs) => ({
    async get(key) {
      const row = await rows.get(key);
      return row === null || isLost(row, nowMs) ? null : row;
    },
    async range(index, request) {
      return (await rows.range(index, request)).filter((row) => !isLost(row, nowMs));
    },
  }));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
