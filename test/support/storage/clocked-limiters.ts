import type { Clock } from '@latchhook/core';
import type { LimiterFactory, LimiterState } from '@latchhook/core/storage';

/** Counters whose windows run on a clock that a test turns; the real ones know only the system's time. */
export function clockedLimiters(clock: Clock): LimiterFactory {
  const windows = new Map<string, { consumedPoints: number; endsAtMs: number }>();

  function open(key: string): { consumedPoints: number; endsAtMs: number } | undefined {
    const window = windows.get(key);
    return window !== undefined && clock.nowMs() < window.endsAtMs ? window : undefined;
  }

  function state(key: string): LimiterState | null {
    const window = open(key);
    if (window === undefined) return null;
    return {
      consumedPoints: window.consumedPoints,
      msBeforeNext: window.endsAtMs - clock.nowMs(),
    };
  }

  return ({ keyPrefix, duration }) => ({
    get: async (key) => state(keyPrefix + key),
    async penalty(key) {
      const name = keyPrefix + key;
      const { consumedPoints, endsAtMs } = open(name) ?? {
        consumedPoints: 0,
        endsAtMs: clock.nowMs() + duration * 1000,
      };
      const moved = { consumedPoints: consumedPoints + 1, endsAtMs };
      windows.set(name, moved);
      return { ...moved, msBeforeNext: endsAtMs - clock.nowMs() };
    },
    async block(key, seconds) {
      windows.set(keyPrefix + key, { consumedPoints: 1, endsAtMs: clock.nowMs() + seconds * 1000 });
    },
    delete: async (key) => windows.delete(keyPrefix + key),
  });
}
