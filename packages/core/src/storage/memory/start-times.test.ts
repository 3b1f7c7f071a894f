import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StartTimes } from './start-times.ts';

const perSecond = (limit: number) => ({ limit, windowMs: 1000 });

function startAll(starts: StartTimes, times: readonly number[]): StartTimes {
  for (const atMs of times) starts.add(atMs);
  return starts;
}

/** How many of `times` are in the window that ends with one of them. */
function inWindow(times: readonly number[], endMs: number): number {
  return times.filter((atMs) => atMs > endMs - 1000 && atMs <= endMs).length;
}

describe('StartTimes', () => {
  it('lets no window see more starts than the limit that holds, whatever is asked for and when', () => {
    const ask = fc.record({
      afterMs: fc.constantFrom(0, 0, 0, 1, 7, 100, 333, 999, 1000, 1001),
      asks: fc.integer({ min: 1, max: 40 }),
      limit: fc.constantFrom(3, 3, 3, 10, 25),
    });
    fc.assert(
      fc.property(fc.array(ask, { maxLength: 100 }), (steps) => {
        const starts = new StartTimes();
        const times: number[] = [];
        let nowMs = 0;
        for (const { afterMs, asks, limit } of steps) {
          nowMs += afterMs;
          for (let nth = 0; nth < asks; nth += 1) {
            const before = inWindow(times, nowMs);
            const free = starts.free(nowMs, perSecond(limit));
            expect(free).toBe(limit - before);
            expect(starts.delayMs(0, nowMs, perSecond(limit)) === 0).toBe(before < limit);
            if (free <= 0) continue;
            starts.add(nowMs);
            times.push(nowMs);
            expect(inWindow(times, nowMs)).toBeLessThanOrEqual(limit);
          }
        }
      }),
      { seed: 1 },
    );
  });

  it('has room for each who comes when it is scheduled, of as many as a window takes', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 60 });
    const limits = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(gaps, limits, limits, (gapsMs, limit, raisedOrLowered) => {
        const starts = new StartTimes();
        let nowMs = 0;
        for (const gapMs of gapsMs) {
          nowMs += gapMs;
          if (starts.free(nowMs, perSecond(limit)) > 0) starts.add(nowMs);
        }
        const rate = perSecond(raisedOrLowered);
        const ranks = Array.from({ length: rate.limit }, (_, rank) => rank);
        const startsAtMs = ranks.map((rank) => nowMs + starts.delayMs(rank, nowMs, rate));
        for (const atMs of startsAtMs) {
          expect(starts.delayMs(0, atMs, rate)).toBe(0);
          starts.add(atMs);
        }
      }),
      { seed: 1 },
    );
  });

  it('spreads evenly who waits behind a burst', () => {
    const starts = startAll(new StartTimes(), [0, 0, 0, 0]);
    const delays = [0, 1, 2, 3, 4, 5, 8].map((rank) => starts.delayMs(rank, 100, perSecond(4)));
    expect(delays).toEqual([900, 1150, 1400, 1650, 1900, 2150, 2900]);
  });

  it('counts those who may start now as starting now, for those behind them', () => {
    const starts = startAll(new StartTimes(), [0, 0]);
    const delays = [0, 1, 2, 3, 4, 5, 6].map((rank) => starts.delayMs(rank, 600, perSecond(4)));
    expect(delays).toEqual([0, 0, 400, 650, 1000, 1150, 1400]);
  });

  it('schedules nobody for a time at which the window cannot have room', () => {
    const starts = startAll(new StartTimes(), [0, 900, 900, 900]);
    const delays = [0, 1, 2, 3, 4].map((rank) => starts.delayMs(rank, 900, perSecond(4)));
    expect(delays).toEqual([100, 1000, 1000, 1000, 1250]);
  });

  it('lets nobody start before a lowered limit has room again', () => {
    const starts = startAll(new StartTimes(), [0, 100, 200, 300, 400]);
    expect(starts.free(500, perSecond(2))).toBe(-3);
    expect(starts.delayMs(0, 500, perSecond(2))).toBe(800);
    expect(starts.delayMs(1, 500, perSecond(2))).toBe(1300);
    expect(starts.free(1299, perSecond(2))).toBeLessThanOrEqual(0);
    expect(starts.free(1300, perSecond(2))).toBe(1);
  });

  it('remembers what a lowered limit exceeds, for when it is raised again', () => {
    const starts = startAll(new StartTimes(), [0, 1, 2, 3, 4]);
    starts.delayMs(0, 5, perSecond(1));
    expect(starts.free(6, perSecond(7))).toBe(2);
  });

  it('remembers all of the last minute, for when the window is made longer', () => {
    const starts = new StartTimes();
    for (let nowMs = 0; nowMs < 50_000; nowMs += 200) {
      expect(starts.free(nowMs, perSecond(5))).toBeGreaterThan(0);
      starts.add(nowMs);
    }
    const perMinute = { limit: 300, windowMs: 60_000 };
    expect(starts.free(50_000, perMinute)).toBe(50);
    expect(starts.delayMs(50, 50_000, perMinute)).toBe(10_000);
    expect(starts.free(50_000, { ...perMinute, limit: 100 })).toBe(-150);
    expect(starts.free(50_000, perSecond(5))).toBe(1);
  });

  it('remembers no more than the highest limit could ask about', () => {
    const starts = new StartTimes();
    for (let nowMs = 0; nowMs < 50_000; nowMs += 1) {
      starts.free(nowMs, perSecond(1000));
      starts.add(nowMs);
    }
    starts.free(51_000, perSecond(1000));
    expect(starts.free(51_000, { limit: 20_000, windowMs: 60_000 })).toBe(10_000);
  });

  it('keeps order when thousands of starts have gone round', () => {
    const starts = new StartTimes();
    for (let nowMs = 0; nowMs < 20_000; nowMs += 1) {
      if (starts.free(nowMs, perSecond(700)) > 0) starts.add(nowMs);
    }
    expect(starts.free(20_000, perSecond(700))).toBe(1);
    expect(starts.free(21_000, perSecond(700))).toBe(700);
  });

  it('keeps order when they grow in number after some were forgotten', () => {
    const starts = startAll(new StartTimes(), [0, 0, 0, 0, 0]);
    expect(starts.free(200_000, perSecond(20))).toBe(20);
    const times = Array.from({ length: 20 }, (_, nth) => 200_000 + nth);
    startAll(starts, times);
    const delays = times.map((_, rank) => starts.delayMs(rank, 200_019, perSecond(20)));
    expect(delays).toEqual(times.map((_, rank) => 981 + 50 * rank));
  });

  it('remembers what started within the longest period and its margin', () => {
    const starts = startAll(new StartTimes(), [0]);
    const withMargin = { limit: 1, windowMs: 60_050 };
    expect(starts.free(60_049, perSecond(1))).toBe(1);
    expect(starts.free(60_049, withMargin)).toBe(0);
    expect(starts.free(60_050, withMargin)).toBe(1);
  });

  it('counts what was withdrawn as if it had never been', () => {
    const gaps = fc.array(fc.constantFrom(0, 0, 1, 90, 600, 1_001), {
      minLength: 1,
      maxLength: 60,
    });
    const step = fc.record({ gapMs: fc.constantFrom(0, 0, 1, 90, 600, 1_001), pick: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), gaps, (steps, later) => {
        const starts = new StartTimes();
        const kept: number[] = [];
        let nowMs = 0;
        for (const { gapMs, pick } of steps) {
          nowMs += gapMs;
          starts.free(nowMs, perSecond(5));
          starts.add(nowMs);
          kept.push(nowMs);
          if (pick % 3 === 0) starts.remove(kept.splice(pick % kept.length, 1)[0] ?? Number.NaN);
        }
        const model = startAll(new StartTimes(), kept);
        for (const gapMs of later) {
          nowMs += gapMs;
          const rate = perSecond(5);
          expect(starts.free(nowMs, rate)).toBe(model.free(nowMs, rate));
          expect(starts.delayMs(3, nowMs, rate)).toBe(model.delayMs(3, nowMs, rate));
        }
      }),
      { seed: 1 },
    );
  });

  it('withdraws nothing that it does not know', () => {
    const starts = startAll(new StartTimes(), [0, 10]);
    for (const atMs of [-1, 5, 11]) starts.remove(atMs);
    expect(starts.free(20, perSecond(5))).toBe(3);
  });

  it('answers delays in whole ms, rounded up, for readings that are not whole', () => {
    const starts = startAll(new StartTimes(), [0.25]);
    expect(starts.delayMs(0, 999.5, perSecond(1))).toBe(1);
    expect(starts.free(1000.25, perSecond(1))).toBe(1);
  });
});
