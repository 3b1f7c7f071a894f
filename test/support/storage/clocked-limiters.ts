import type { Clock } from '@latchhook/core';
import { type LimiterFactory, type LimiterState, lockSecondsAfter } from '@latchhook/core/storage';

/** Limiters whose windows run on a clock that a test turns: the real limiters use the system's clock. */
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

  function add(name: string, duration: number): LimiterState {
    const { consumedPoints, endsAtMs } = open(name) ?? {
      consumedPoints: 0,
      endsAtMs: clock.nowMs() + duration * 1000,
    };
    const moved = { consumedPoints: consumedPoints + 1, endsAtMs };
    windows.set(name, moved);
    return { ...moved, msBeforeNext: endsAtMs - clock.nowMs() };
  }

  function block(name: string, seconds: number): void {
    windows.set(name, { consumedPoints: 1, endsAtMs: clock.nowMs() + seconds * 1000 });
  }

  return ({ keyPrefix, duration }) => ({
    get: async (key, keyPrefixes) =>
      [keyPrefix, ...keyPrefixes].map((prefix) => state(prefix + key)),
    penalty: async (key) => add(keyPrefix + key, duration),
    async penaltyWithLock(key, rule) {
      const added = add(keyPrefix + key, duration);
      const { consumedPoints } = added;
      if (consumedPoints % rule.every === 0) {
        block(rule.keyPrefix + key, lockSecondsAfter(consumedPoints, rule));
      }
      return added;
    },
    block: async (key, seconds) => block(keyPrefix + key, seconds),
    delete: async (key) => windows.delete(keyPrefix + key),
  });
}
