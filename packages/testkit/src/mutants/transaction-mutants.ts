import { setTimeout as delay } from 'node:timers/promises';
import { BufferedRows, type Row } from '@latchhook/core/storage';
import { CONTRACT } from '../engine/contract.ts';
import { type EngineMutant, engineThat, mutantsThatBreak, rowsThat } from './engine-mutant.ts';
import { unlocked, write } from './unlocked.ts';

/** As many as the connections of a pool by default. */
const POOL = 10;

/** Shown by connections that are lost between the last write and the commit. */
const DISTURBED_MUTANTS: readonly EngineMutant[] = [
  ...mutantsThatBreak(CONTRACT.unsure, {
    'does not await its commit': engineThat((sound) => ({
      transact: (partition, work) =>
        new Promise((resolve, reject) => {
          sound
            .transact(partition, async (rows, nowMs) => resolve(await work(rows, nowMs)))
            .catch(reject);
        }),
    })),
  }),
  ...mutantsThatBreak(CONTRACT.atomic, {
    'has committed half where a connection is lost': engineThat((sound) => ({
      async transact(partition, work) {
        let written: readonly [key: string, row: Row | null][] = [];
        try {
          return await sound.transact(partition, async (stored, nowMs) => {
            const rows = new BufferedRows(stored);
            const answer = await work(rows, nowMs);
            written = [...rows.writes];
            await write(stored, rows.writes);
            return answer;
          });
        } catch (error) {
          const half = new Map(written.slice(0, written.length / 2));
          await sound.transact(partition, (stored) => write(stored, half));
          throw error;
        }
      },
    })),
  }),
  ...mutantsThatBreak(CONTRACT.ends, {
    'goes on with a connection that is lost': engineThat((sound) => {
      let lost: { readonly error: unknown } | undefined;
      return {
        async transact(partition, work) {
          if (lost !== undefined) throw lost.error;
          let isOver = false;
          try {
            return await sound.transact(partition, async (rows, nowMs) => {
              const answer = await work(rows, nowMs);
              isOver = true;
              return answer;
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
    'loses one write in two': rowsThat((rows) => {
      let count = 0;
      return {
        async put(row) {
          count += 1;
          if (count % 2 === 1) await rows.put(row);
        },
      };
    }),
    'commits each write on its own': engineThat((sound) => ({
      async transact(partition, work) {
        const rows = new BufferedRows(unlocked(sound, partition));
        const answer = await work(rows, await sound.now());
        for (const one of rows.writes) {
          await sound.transact(partition, (stored) => write(stored, new Map([one])));
        }
        return answer;
      },
    })),
  }),

  ...mutantsThatBreak(CONTRACT.thrown, {
    'commits what work wrote before it threw': engineThat((sound) => ({
      async transact(partition, work) {
        const { settle } = await sound.transact(partition, async (rows, nowMs) => {
          try {
            const answer = await work(rows, nowMs);
            return { settle: () => answer };
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
    'swallows what work throws': engineThat((sound) => ({
      transact: (partition, work) =>
        sound.transact(partition, work).catch(() => undefined as Awaited<ReturnType<typeof work>>),
    })),
    'wraps the error of work in one of its own': engineThat((sound) => ({
      transact: (partition, work) =>
        sound.transact(partition, work).catch((cause: unknown) => {
          throw new Error('the transaction has failed', { cause });
        }),
    })),
    'adds to the error of work': engineThat((sound) => ({
      transact: (partition, work) =>
        sound.transact(partition, work).catch((error: unknown) => {
          Object.assign(Object(error), { partition });
          throw error;
        }),
    })),
  }),

  ...mutantsThatBreak(CONTRACT.answer, {
    'answers nothing': engineThat((sound) => ({
      transact: (partition, work) =>
        sound.transact(partition, async (rows, nowMs) => {
          await work(rows, nowMs);
          return undefined as Awaited<ReturnType<typeof work>>;
        }),
    })),
    'answers a copy': engineThat((sound) => ({
      transact: async (partition, work) => structuredClone(await sound.transact(partition, work)),
    })),
    'answers before it has written': engineThat((sound) => ({
      async transact(partition, work) {
        const rows = new BufferedRows(unlocked(sound, partition));
        const answer = await work(rows, await sound.now());
        const written = delay(5).then(() =>
          sound.transact(partition, (stored) => write(stored, rows.writes)),
        );
        written.catch(() => {});
        return answer;
      },
    })),
  }),

  ...mutantsThatBreak(CONTRACT.ends, {
    'leaves a connection busy for each work that throws': engineThat((sound) => {
      let busy = 0;
      return {
        async transact(partition, work) {
          if (busy >= POOL) await new Promise(() => {});
          return sound.transact(partition, work).catch((error: unknown) => {
            busy += 1;
            throw error;
          });
        },
      };
    }),
    'gives up where many are begun at once': engineThat((sound) => {
      let open = 0;
      return {
        async transact(partition, work) {
          if (open >= POOL) throw new Error('the partition is locked');
          open += 1;
          return sound.transact(partition, work).finally(() => {
            open -= 1;
          });
        },
      };
    }),
  }),

  ...DISTURBED_MUTANTS,
];
