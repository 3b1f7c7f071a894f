import { setTimeout as delay } from 'node:timers/promises';
import { BufferedRows, type Row } from '@latchhook/core/storage';
import { CONTRACT } from '../engine/contract.ts';
import {
  type EngineMutant,
  faultyEnd,
  faultyEngine,
  faultyRows,
  mutantsThatBreak,
} from './engine-mutant.ts';
import { unlockedWork, write } from './unlocked.ts';

/** The usual default of a pool. */
const POOL_SIZE = 10;

/** Faults that show only if a connection is lost between the last write and the commit. */
const DISTURBED_MUTANTS: readonly EngineMutant[] = [
  ...mutantsThatBreak(CONTRACT.unsure, {
    'resolves a transaction before its commit': faultyEngine((engine) => ({
      transact: (partition, work) =>
        new Promise((resolve, reject) => {
          engine
            .transact(partition, async (rows, nowMs) => resolve(await work(rows, nowMs)))
            .catch(reject);
        }),
    })),
  }),
  ...mutantsThatBreak(CONTRACT.atomic, {
    'commits half of the writes when the connection is lost': faultyEngine((engine) => ({
      async transact(partition, work) {
        let writes: readonly [key: string, row: Row | null][] = [];
        try {
          return await engine.transact(partition, async (stored, nowMs) => {
            const rows = new BufferedRows(stored);
            const result = await work(rows, nowMs);
            writes = [...rows.writes];
            // Not the connection's own error, after which the engine might run work again.
            await write(stored, rows.writes).catch((cause: unknown) => {
              throw new Error('the connection is lost', { cause });
            });
            return result;
          });
        } catch (error) {
          const half = new Map(writes.slice(0, writes.length / 2));
          await engine.transact(partition, (stored) => write(stored, half));
          throw error;
        }
      },
    })),
  }),
  ...mutantsThatBreak(CONTRACT.ends, {
    'keeps using a lost connection': faultyEngine((engine) => {
      let lost: { readonly error: unknown } | undefined;
      return {
        async transact(partition, work) {
          if (lost !== undefined) throw lost.error;
          let isOver = false;
          try {
            return await engine.transact(partition, async (rows, nowMs) => {
              const result = await work(rows, nowMs);
              isOver = true;
              return result;
            });
          } catch (error) {
            if (isOver) lost = { error };
            throw error;
          }
        },
      };
    }),
  }),
].map((mutant) => ({ ...mutant, needs: 'disturb' }));

export const TRANSACTION_MUTANTS: readonly EngineMutant[] = [
  ...mutantsThatBreak(CONTRACT.atomic, {
    'loses every second write': faultyRows((rows) => {
      let count = 0;
      return {
        async put(row) {
          count += 1;
          if (count % 2 === 1) await rows.put(row);
        },
      };
    }),
    'commits each write separately': unlockedWork(async (writes, store) => {
      for (const rowWrite of writes) await store(new Map([rowWrite]));
    }),
  }),

  ...mutantsThatBreak(CONTRACT.thrown, {
    'commits the writes of work that throws': faultyEngine((engine) => ({
      async transact(partition, work) {
        const { settle } = await engine.transact(partition, async (rows, nowMs) => {
          try {
            const result = await work(rows, nowMs);
            return { settle: () => result };
          } catch (error) {
            return {
              settle: () => {
                throw error;
              },
            };
          }
        });
        return settle();
      },
    })),
    'swallows errors of work': faultyEnd((transaction) =>
      transaction.catch(() => undefined as Awaited<typeof transaction>),
    ),
    'wraps errors of work': faultyEnd((transaction) =>
      transaction.catch((cause: unknown) => {
        throw new Error('the transaction has failed', { cause });
      }),
    ),
    'changes the error of work': faultyEnd((transaction) =>
      transaction.catch((error: unknown) => {
        Object.assign(Object(error), { isRolledBack: true });
        throw error;
      }),
    ),
  }),

  ...mutantsThatBreak(CONTRACT.result, {
    'resolves to undefined instead of the result of work': faultyEnd((transaction) =>
      transaction.then(() => undefined as Awaited<typeof transaction>),
    ),
    'resolves to a copy of the result of work': faultyEnd(async (transaction) =>
      structuredClone(await transaction),
    ),
    'resolves a transaction before it has written': unlockedWork((writes, store) => {
      delay(5)
        .then(() => store(writes))
        .catch(() => {});
    }),
  }),

  ...mutantsThatBreak(CONTRACT.ends, {
    'leaks a connection each time work throws': faultyEngine((engine) => {
      let busy = 0;
      return {
        async transact(partition, work) {
          if (busy >= POOL_SIZE) await new Promise(() => {});
          return engine.transact(partition, work).catch((error: unknown) => {
            busy += 1;
            throw error;
          });
        },
      };
    }),
    'rejects more than ten parallel transactions': faultyEngine((engine) => {
      let open = 0;
      return {
        async transact(partition, work) {
          if (open >= POOL_SIZE) throw new Error('the partition is locked');
          open += 1;
          return engine.transact(partition, work).finally(() => {
            open -= 1;
          });
        },
      };
    }),
  }),

  ...DISTURBED_MUTANTS,
];
