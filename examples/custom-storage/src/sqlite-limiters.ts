import { type LimiterFactory, type LimiterState, lockSecondsAfter } from '@latchhook/core/storage';
import type { Items } from './items.ts';

/** The counters of login throttling in SQLite: each is an item that ends with its window. */
export function sqliteLimiters(items: Items): LimiterFactory {
  return ({ keyPrefix, duration }) => {
    const find = (key: string, nowMs: number): LimiterState | null => {
      const counter = items.find('counter', keyPrefix, key);
      if (counter === undefined || counter.endsAtMs <= nowMs) return null;
      return { consumedPoints: counter.points, msBeforeNext: counter.endsAtMs - nowMs };
    };
    const put = (key: string, points: number, endsAtMs: number, prefix = keyPrefix): void =>
      items.put('counter', prefix, key, { points, endsAtMs }, endsAtMs);
    const addPoint = (key: string, nowMs: number): LimiterState => {
      const opened = { consumedPoints: 0, msBeforeNext: duration * 1000 };
      const { consumedPoints, msBeforeNext } = find(key, nowMs) ?? opened;
      put(key, consumedPoints + 1, nowMs + msBeforeNext);
      items.forgetSome(nowMs);
      return { consumedPoints: consumedPoints + 1, msBeforeNext };
    };
    return {
      get: (key) => items.look((nowMs) => find(key, nowMs)),
      penalty: (key) => items.transition((nowMs) => addPoint(key, nowMs)),
      penaltyWithLock: (key, rule) =>
        items.transition((nowMs) => {
          const state = addPoint(key, nowMs);
          if (state.consumedPoints % rule.every === 0) {
            const lockMs = 1000 * lockSecondsAfter(state.consumedPoints, rule);
            put(key, 1, nowMs + lockMs, rule.keyPrefix);
          }
          return state;
        }),
      block: (key, seconds) => items.transition((nowMs) => put(key, 1, nowMs + seconds * 1000)),
      delete: (key) =>
        items.transition((nowMs) => {
          const wasOpen = find(key, nowMs) !== null;
          put(key, 0, nowMs);
          return wasOpen;
        }),
    };
  };
}
