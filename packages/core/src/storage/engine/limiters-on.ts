import type { LimiterFactory, LimiterState } from '../limiter.ts';
import { lockSecondsAfter } from '../lock-rule.ts';
import { type EngineCalls, nameOf } from './engine-calls.ts';
import type { Rows } from './storage-engine.ts';

/** Counters on an engine, by a key that several prefixes share: a lock and what it is for are in one partition. */
export function limitersOn(calls: EngineCalls): LimiterFactory {
  return ({ keyPrefix, duration }) => {
    const partition = (key: string) => nameOf('limiter', key);
    const counter = (prefix: string) => nameOf('counter', prefix);

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
      get: (key) => calls.transact(partition(key), (rows, nowMs) => read(rows, keyPrefix, nowMs)),
      penalty: (key) => calls.transact(partition(key), add),
      penaltyWithLock: (key, rule) =>
        calls.transact(partition(key), async (rows, nowMs) => {
          const state = await add(rows, nowMs);
          if (state.consumedPoints % rule.every === 0) {
            const lockMs = 1000 * lockSecondsAfter(state.consumedPoints, rule);
            await open(rows, rule.keyPrefix, 1, nowMs + lockMs);
          }
          return state;
        }),
      block: (key, seconds) =>
        calls.transact(partition(key), (rows, nowMs) =>
          open(rows, keyPrefix, 1, nowMs + 1000 * seconds),
        ),
      delete: (key) =>
        calls.transact(partition(key), async (rows, nowMs) => {
          const wasOpen = (await read(rows, keyPrefix, nowMs)) !== null;
          if (wasOpen) await rows.delete(counter(keyPrefix));
          return wasOpen;
        }),
    };
  };
}
