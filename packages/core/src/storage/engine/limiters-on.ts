import type { LimiterFactory, LimiterState } from '../limiter.ts';
import { lockSecondsAfter } from '../lock-rule.ts';
import { type EngineCalls, nameOf, type Transition } from './engine-calls.ts';
import type { Rows } from './storage-engine.ts';

/** Counters on an engine. All counters of one key share a partition, so that a lock and the counter that sets it do. */
export function limitersOn(calls: EngineCalls): LimiterFactory {
  return ({ keyPrefix, duration }) => {
    const counter = (prefix: string) => nameOf('counter', prefix);

    function ofKey<Result>(key: string, transition: Transition<Result>): Promise<Result> {
      const partition = nameOf('limiter', key);
      return calls.transact(partition, transition, calls.newDeadline(), counter(keyPrefix));
    }

    async function read(rows: Rows, prefix: string, nowMs: number): Promise<LimiterState | null> {
      const row = await rows.get(counter(prefix));
      if (row === null) return null;
      return { consumedPoints: Number(row.value), msBeforeNext: Number(row.expiresAtMs) - nowMs };
    }

    async function open(rows: Rows, prefix: string, points: number, endsAtMs: number) {
      const key = counter(prefix);
      await rows.put({ key, value: points, indexes: {}, expiresAtMs: endsAtMs });
    }

    async function add(rows: Rows, nowMs: number): Promise<LimiterState> {
      const { consumedPoints, msBeforeNext } = (await read(rows, keyPrefix, nowMs)) ?? {
        consumedPoints: 0,
        msBeforeNext: 1000 * duration,
      };
      const state = { consumedPoints: consumedPoints + 1, msBeforeNext };
      await open(rows, keyPrefix, state.consumedPoints, nowMs + msBeforeNext);
      return state;
    }

    return {
      get: (key) => ofKey(key, (rows, nowMs) => read(rows, keyPrefix, nowMs)),
      penalty: (key) => ofKey(key, add),
      penaltyWithLock: (key, rule) =>
        ofKey(key, async (rows, nowMs) => {
          const state = await add(rows, nowMs);
          if (state.consumedPoints % rule.every === 0) {
            const lockMs = 1000 * lockSecondsAfter(state.consumedPoints, rule);
            await open(rows, rule.keyPrefix, 1, nowMs + lockMs);
          }
          return state;
        }),
      block: (key, seconds) =>
        ofKey(key, (rows, nowMs) => open(rows, keyPrefix, 1, nowMs + 1000 * seconds)),
      delete: (key) =>
        ofKey(key, async (rows, nowMs) => {
          const wasOpen = (await read(rows, keyPrefix, nowMs)) !== null;
          if (wasOpen) await rows.delete(counter(keyPrefix));
          return wasOpen;
        }),
    };
  };
}
