import type { LimiterFactory, LimiterState } from '../limiter.ts';
import { lockSecondsAfter } from '../lock-rule.ts';
import { type EngineCalls, keyOf, type Transition } from './engine-calls.ts';
import type { Rows } from './storage-engine.ts';

/** Counters on an engine. All counters of one key are in one partition: a transaction can count and set a lock. */
export function limitersOn(calls: EngineCalls): LimiterFactory {
  return ({ keyPrefix, duration }) => {
    const counterKey = rowKeyOf(keyPrefix);

    /** Names the row of the counter, which the engine can then read along with the lock of the partition. */
    function transactOnKey<Result>(key: string, transition: Transition<Result>): Promise<Result> {
      return calls.transact(keyOf('limiter', key), transition, calls.newDeadline(), counterKey);
    }

    async function addPoint(rows: Rows, nowMs: number): Promise<LimiterState> {
      const { consumedPoints, msBeforeNext } = (await readState(rows, counterKey, nowMs)) ?? {
        consumedPoints: 0,
        msBeforeNext: 1000 * duration,
      };
      const state = { consumedPoints: consumedPoints + 1, msBeforeNext };
      await putCounter(rows, counterKey, state.consumedPoints, nowMs + msBeforeNext);
      return state;
    }

    return {
      get: (key, keyPrefixes) =>
        transactOnKey(key, async (rows, nowMs) => {
          const states: (LimiterState | null)[] = [];
          for (const prefix of [keyPrefix, ...keyPrefixes]) {
            states.push(await readState(rows, rowKeyOf(prefix), nowMs));
          }
          return states;
        }),
      penalty: (key) => transactOnKey(key, addPoint),
      penaltyWithLock: (key, rule) =>
        transactOnKey(key, async (rows, nowMs) => {
          const state = await addPoint(rows, nowMs);
          if (state.consumedPoints % rule.every === 0) {
            const lockMs = 1000 * lockSecondsAfter(state.consumedPoints, rule);
            await putCounter(rows, rowKeyOf(rule.keyPrefix), 1, nowMs + lockMs);
          }
          return state;
        }),
      block: (key, seconds) =>
        transactOnKey(key, (rows, nowMs) =>
          putCounter(rows, counterKey, 1, nowMs + 1000 * seconds),
        ),
      delete: (key) =>
        transactOnKey(key, async (rows, nowMs) => {
          const wasOpen = (await readState(rows, counterKey, nowMs)) !== null;
          if (wasOpen) await rows.delete(counterKey);
          return wasOpen;
        }),
    };
  };
}

function rowKeyOf(keyPrefix: string): string {
  return keyOf('counter', keyPrefix);
}

async function readState(rows: Rows, key: string, nowMs: number): Promise<LimiterState | null> {
  const row = await rows.get(key);
  if (row === null) return null;
  return { consumedPoints: Number(row.value), msBeforeNext: Number(row.expiresAtMs) - nowMs };
}

/** Stores a counter until its window ends. A lock is a counter of one point, under the key prefix of locks. */
async function putCounter(
  rows: Rows,
  key: string,
  points: number,
  endsAtMs: number,
): Promise<void> {
  await rows.put({ key, value: points, indexes: {}, expiresAtMs: endsAtMs });
}
