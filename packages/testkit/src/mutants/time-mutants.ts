import { CONTRACT } from '../engine/contract.ts';
import {
  type EngineMutant,
  faultyEngine,
  faultyWork,
  type Mutation,
  mutantsThatBreak,
} from './engine-mutant.ts';

const HOUR_MS = 3_600_000;

export const TIME_MUTANTS: readonly EngineMutant[] = [
  ...mutantsThatBreak(CONTRACT.time, {
    'reads the time before it has the lock': faultyEngine((engine) => ({
      async transact(partition, work) {
        const nowMs = await engine.now();
        return engine.transact(partition, (rows) => work(rows, nowMs));
      },
    })),
    'gives transactions the time in seconds': timed((nowMs) => Math.round(nowMs / 1000)),
    'gives transactions a time with fractions of a millisecond': timed((nowMs) => nowMs + 0.25),
    'gives transactions the time of another zone': timed((nowMs) => nowMs + 2 * HOUR_MS),
  }),

  ...mutantsThatBreak(CONTRACT.now, {
    'returns the time of another zone from now()': faultyEngine((engine) => ({
      now: async () => (await engine.now()) + 2 * HOUR_MS,
    })),
    'returns the time of this machine instead of the given clock': faultyEngine(() => ({
      now: async () => Date.now(),
    })),
    'reads the time only once': faultyEngine((engine) => {
      let firstTime: Promise<number> | undefined;
      const now = () => {
        firstTime ??= engine.now();
        return firstTime;
      };
      return {
        now,
        transact: async (partition, work) => {
          const nowMs = await now();
          return engine.transact(partition, (rows) => work(rows, nowMs));
        },
      };
    }),
  }),
];

function timed(change: (nowMs: number) => number): Mutation {
  return faultyWork((work, rows, nowMs) => work(rows, change(nowMs)));
}
