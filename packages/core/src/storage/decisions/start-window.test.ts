import { describe, expect, it } from 'vitest';
import { addStarts, fillWindow, freeAtMs, freeStarts, type StartWindow } from './start-window.ts';

/** `addStarts` gets `[beginByMs, count]`: the latest time at which the attempts begin, and their number. */
const perSecond = { rateLimit: 10, rateLimitPeriod: 'second' } as const;
const perMinute = { rateLimit: 10_000, rateLimitPeriod: 'minute' } as const;

describe('a rate-limit window', () => {
  it('counts each start for one period from the latest time at which its attempt begins', () => {
    const beginByMs = 100;
    const leavesAtMs = beginByMs + 1_000;
    const window = addStarts([], [beginByMs, 4], perSecond, 0);
    expect(freeStarts(window, perSecond, leavesAtMs - 1)).toBe(6);
    expect(freeAtMs(window, perSecond, leavesAtMs - 1)).toBe(leavesAtMs);
    expect(freeStarts(window, perSecond, leavesAtMs)).toBe(10);
    expect(freeAtMs(window, perSecond, leavesAtMs)).toBeNull();
  });

  it('has a negative number of free starts after the limit was lowered below its count', () => {
    expect(freeStarts([[0, 4]], { ...perSecond, rateLimit: 1 }, 5)).toBe(-3);
  });

  it('merges close starts into at most about a hundred entries, without freeing a start too early', () => {
    let window: StartWindow = [];
    const unmergedStarts: [beginByMs: number, count: number][] = [];
    for (let nowMs = 0; nowMs < 120_000; nowMs += 7) {
      window = addStarts(window, [nowMs, 1], perMinute, nowMs);
      unmergedStarts.push([nowMs, 1]);
      // Compared only now and then, because the list without merging is long.
      if (nowMs % 5_000 !== 0) continue;
      expect(freeStarts(window, perMinute, nowMs)).toBeLessThanOrEqual(
        freeStarts(unmergedStarts, perMinute, nowMs),
      );
    }
    expect(window.length).toBeLessThan(110);
  });

  it('merges a start into a later entry if the rate margin shrinks', () => {
    const window = addStarts([[500, 3]], [200, 2], perSecond, 100);
    expect(window).toEqual([[500, 5]]);
  });

  it('counts as full until a minute after its last start if its period becomes a minute', () => {
    let window = addStarts([], [0, 2], perSecond, 0);
    window = fillWindow(window, 10_000);
    expect(freeAtMs(window, perMinute, 30_000)).toBe(60_000);
    expect(freeStarts(window, perMinute, 30_000)).toBe(0);
    expect(fillWindow([], 10_000)).toEqual([]);
  });
});
