import type { LimiterFactory, LimiterState } from '@latchhook/core/storage';
import type { Items } from './items.ts';

/** The counters of login throttling in SQLite: each is an item that ends with its window. */
export function sqliteLimiters(items: Items): LimiterFactory {
  return ({ keyPrefix, duration }) => {
    const find = (key: string, nowMs: number): LimiterState | null => {
      const counter = items.find('counter', keyPrefix, key);
      if (counter === undefined || counter.endsAtMs <= nowMs) return null;
      return { consumedPoints: counter.points, msBeforeNext: counter.endsAtMs - nowMs };
    };
    const put = (key: string, points: number, endsAtMs: number): void =>
      items.put('counter', keyPrefix, key, { points, endsAtMs }, endsAtMs);
    return {
      get: (key) => items.look((nowMs) => find(key, nowMs)),
      penalty: (key, points = 1) =>
        items.transition((nowMs) => {
          const opened = { consumedPoints: 0, msBeforeNext: duration * 1000 };
          const { consumedPoints, msBeforeNext } = find(key, nowMs) ?? opened;
          put(key, consumedPoints + points, nowMs + msBeforeNext);
          items.forgetSome(nowMs);
          return { consumedPoints: consumedPoints + points, msBeforeNext };
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
