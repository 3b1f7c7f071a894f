import type { LimiterFactory, LimiterState } from '../limiter.ts';
import { lockSecondsAfter } from '../lock-rule.ts';
import { type EngineCalls, keyOf, type Transition } from './engine-calls.ts';
import type { Rows } from './storage-engine.ts';

/** Counters on an engine. All counters of one key are in one partition: a transaction can count and set a lock. */
export function limitersOn(calls: EngineCalls): LimiterFactory {
  return ({ keyPrefix, duration }) => {
    const rowKey = (prefix: string) => keyOf('counter', prefix);

    function transactOnKey<Result>(key: string, transition: Transition<Result>): Promise<Result> {
      const partition = keyOf('limiter', key);
      return calls.transact(partition, transition, calls.newDeadline(), rowKey(keyPrefix));
    }

    async function readState(
      rows: Rows,
      prefix: string,
      nowMs: number,
    ): Promise<LimiterState | null> {
      const row = await rows.get(rowKey(prefix));
      if (row === null) return null;
      return { consumedPoints: Number(row.value), msBeforeNext: Number(row.expiresAtMs) - nowMs };
    }

    async function openWindow(rows: Rows, prefix: string, points: number, endsAtMs: number) {
      const key = rowKey(prefix);
      await rows.put({ key, value: points, indexes: {}, expiresAtMs: endsAtMs });
    }

    async function addPoint(rows: Rows, nowMs: number): Promise<LimiterState> {
      const { consumedPoints, msBeforeNext } = (await readState(rows, keyPrefix, nowMs)) ?? {
        consumedPoints: 0,
        msBeforeNext: 1000 * duration,
      };
      const state = { consumedPoints: consumedPoints + 1, msBeforeNext };
      await openWindow(rows, keyPrefix, state.consumedPoints, nowMs + msBeforeNext);
      return state;
    }

    return {
      get: (key) => transactOnKey(key, (rows, nowMs) => readState(rows, keyPrefix, nowMs)),
      penalty: (key) => transactOnKey(key, addPoint),
      penaltyWithLock: (key, rule) =>
        transactOnKey(key, async (rows, nowMs) => {
          const state = await addPoint(rows, nowMs);
          if (state.consumedPoints % rule.every === 0) {
            const lockMs = 1000 * lockSecondsAfter(state.consumedPoints, rule);
            await openWindow(rows, rule.keyPrefix, 1, nowMs + lockMs);
          }
          return state;
        }),
      block: (key, seconds) =>
        transactOnKey(key, (rows, nowMs) => openWindow(rows, keyPrefix, 1, nowMs + 1000 * seconds)),
      delete: (key) =>
        transactOnKey(key, async (rows, nowMs) => {
          const wasOpen = (await readState(rows, keyPrefix, nowMs)) !== null;
          if (wasOpen) await rows.delete(rowKey(keyPrefix));
          return wasOpen;
        }),
    };
  };
}
