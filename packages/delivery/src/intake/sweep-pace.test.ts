import type { ScheduledDelivery } from '@latchhook/core/storage';
import { describe, expect, it } from 'vitest';
import { scheduled } from '../runs/scripted-deps.test.support.ts';
import { SweepPace, type SweepPaceDeps } from './sweep-pace.ts';

const PAGE_SIZE = 3;

const page = (from: number, size = PAGE_SIZE): ScheduledDelivery[] =>
  Array.from({ length: size }, (_, nth) => scheduled(`msg_${from + nth}`));

/** The pace of a process that always has something to send, by a clock that a test turns. */
function scene(deps: Partial<SweepPaceDeps> = {}) {
  let nowMs = 0;
  let attempts = 0;
  const clock = { nowMs: () => nowMs };
  const pace = new SweepPace({
    clock,
    random: () => 0.5,
    intervalMs: 700,
    pageSize: PAGE_SIZE,
    attemptsSoFar: () => ++attempts,
    ...deps,
  });
  function pass(ms: number): void {
    nowMs += ms;
  }
  /** A sweep for which the store looks so long, and finds nothing unless it is told what. */
  function swept(ms: number, found: ScheduledDelivery[] = []): void {
    pace.noteBegin();
    pass(ms);
    pace.noteAnswer(found);
  }
  /** The pause after a sweep at once that finds nothing. */
  function afterEmpty(): number {
    swept(0);
    return pace.afterEmpty();
  }
  return { pace, pass, swept, afterEmpty };
}

describe('the pause of a sweeper', () => {
  it.each([
    { sweepMs: 0, pauseMs: 700 },
    { sweepMs: 10, pauseMs: 700 },
    { sweepMs: 40, pauseMs: 2_000 },
    { sweepMs: 300, pauseMs: 5_000 },
  ])('is $pauseMs ms after a sweep of $sweepMs ms that leaves nothing', ({ sweepMs, pauseMs }) => {
    const { pace, swept } = scene();
    swept(sweepMs);
    expect(pace.afterEmpty()).toBe(pauseMs);
    expect(pace.afterPage(page(0, PAGE_SIZE - 1))).toBe(pauseMs);
  });

  it('is no longer where it took the engine long to take all that was found', () => {
    const { pace, pass, swept } = scene();
    const all = page(0, PAGE_SIZE - 1);
    swept(10, all);
    pass(300);
    expect(pace.afterPage(all)).toBe(700);
  });

  it.each([
    { sweepMs: 0, pauseMs: 100 },
    { sweepMs: 300, pauseMs: 300 },
    { sweepMs: 60_000, pauseMs: 5_000 },
  ])('is $pauseMs ms after a sweep of $sweepMs ms that leaves more', ({ sweepMs, pauseMs }) => {
    const { pace, swept } = scene();
    swept(sweepMs);
    expect(pace.afterPage(page(0))).toBe(pauseMs);
  });

  it('is the longest where a page begins as the one before: the store puts nothing off', () => {
    const { pace } = scene();
    expect(pace.afterPage(page(0))).toBe(100);
    expect(pace.afterPage(page(0))).toBe(5_000);
    expect(pace.afterPage(page(3))).toBe(100);
  });

  it('is short where a round begins as the one before, and that was all found', () => {
    const { pace } = scene();
    pace.afterPage(page(0));
    pace.afterPage(page(3, 1));
    expect(pace.afterPage(page(0))).toBe(100);
  });

  it('is the longest after a fault', () => {
    expect(scene().pace.afterFault()).toBe(5_000);
  });

  it('is never shorter than the host has chosen', () => {
    const { pace, swept } = scene({ intervalMs: 60_000 });
    swept(300);
    expect([pace.afterEmpty(), pace.afterFault()]).toEqual([60_000, 60_000]);
  });

  it.each([
    [0, [560, 4_000, 4_000, 0]],
    [1, [840, 6_000, 6_000, 700]],
  ])('differs by a fifth at most, but for where there is more to find: %d', (drawn, expected) => {
    const { pace } = scene({ random: () => drawn });
    const same = [page(0), page(0)].map((one) => pace.afterPage(one));
    expect(same[0]).toBe(100);
    const pauses = [pace.afterEmpty(), pace.afterFault(), same[1] ?? 0, pace.beforeFirst()];
    expect(pauses.map(Math.round)).toEqual(expected);
  });

  it('is the longest once this process has had nothing to send for half a minute', () => {
    let attempts = 0;
    const { pass, afterEmpty } = scene({ attemptsSoFar: () => attempts });
    pass(29_999);
    expect(afterEmpty()).toBe(700);
    pass(1);
    expect(afterEmpty()).toBe(5_000);
    attempts += 1;
    // For long enough to find what others lose that began with this one.
    expect(afterEmpty()).toBe(700);
    pass(29_999);
    expect(afterEmpty()).toBe(700);
    pass(1);
    expect(afterEmpty()).toBe(5_000);
  });

  it('is short for half a minute more where something was late, even if the engine did not take it', () => {
    const { pace, pass, afterEmpty } = scene({ attemptsSoFar: () => 0 });
    pass(40_000);
    pace.noteAnswer(page(0));
    expect(pace.afterFault()).toBe(5_000);
    pass(29_999);
    expect(afterEmpty()).toBe(700);
    pass(1);
    expect(afterEmpty()).toBe(5_000);
  });

  it('is short for as long as this process has something to send', () => {
    const { pass, afterEmpty } = scene();
    pass(3_600_000);
    expect(afterEmpty()).toBe(700);
  });
});
