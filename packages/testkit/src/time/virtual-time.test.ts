import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { virtualTime } from './virtual-time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Many more turns of the event loop than `advance` takes without a hold. */
const MANY_TURNS = 500;

/** Virtual time, and for how long it has run. */
function startTime() {
  const time = virtualTime();
  const startMs = time.clock.nowMs();
  return { ...time, elapsedMs: () => time.clock.nowMs() - startMs };
}

describe('virtual time', () => {
  it('does not advance by itself', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { clock } = virtualTime();
    const startMs = clock.nowMs();
    vi.advanceTimersByTime(HOUR_MS);
    expect(clock.nowMs()).toBe(startMs);
  });

  it('fires timers in order, each at its due time', async () => {
    const { timers, advance, elapsedMs } = startTime();
    const fired: string[] = [];
    for (const [name, ms] of Object.entries({ late: 30, first: 10, second: 10, after: 31 })) {
      timers.after(ms, () => fired.push(`${name} at ${elapsedMs()}`));
    }
    await advance(30);
    expect(fired).toEqual(['first at 10', 'second at 10', 'late at 30']);
    expect(elapsedMs()).toBe(30);
    await advance(1);
    expect(fired.at(-1)).toBe('after at 31');
  });

  it('does not fire a cancelled timer, even if a timer due at the same time cancelled it', async () => {
    const { timers, advance, runUntil } = virtualTime();
    const fired: string[] = [];
    timers.after(5, () => {
      fired.push('first');
      cancelSecond();
    });
    const cancelSecond = timers.after(5, () => fired.push('second'));
    timers.after(9, () => fired.push('third'))();
    await advance(10);
    expect(fired).toEqual(['first']);
    await expect(runUntil(() => false)).rejects.toThrow('no timer is set');
  });

  it('settles promises between timers, so a timer that is set after a promise fires on time', async () => {
    const { timers, advance, elapsedMs } = startTime();
    const moments: number[] = [];
    const repeat = async () => {
      await new Promise(setImmediate);
      moments.push(elapsedMs());
      if (moments.length < 5) timers.after(10, repeat);
    };
    timers.after(10, repeat);
    timers.after(15, () => moments.push(elapsedMs()));
    await advance(40);
    expect(moments).toEqual([10, 15, 20, 30, 40]);
  });

  it('advances by at least 1 ms per timer, even if a timer of 0 ms sets itself again', async () => {
    const { timers, advance } = virtualTime();
    let firings = 0;
    const repeat = () => {
      firings += 1;
      timers.after(0, repeat);
    };
    repeat();
    await advance(10);
    expect(firings).toBe(11);
  });

  it('does not advance while a condition of holdWhile() is true', async () => {
    const { timers, advance, holdWhile, elapsedMs } = startTime();
    let isInProgress = false;
    holdWhile(() => isInProgress);
    timers.after(10, () => {
      isInProgress = true;
    });
    timers.after(11, () => {});
    const advanced = advance(20);
    for (let turn = 0; turn < MANY_TURNS; turn += 1) await new Promise(setImmediate);
    expect(elapsedMs()).toBe(10);
    isInProgress = false;
    await advanced;
    expect(elapsedMs()).toBe(20);
  });

  it('advances over days from timer to timer until the condition of runUntil() is true', async () => {
    const { timers, runUntil, elapsedMs } = startTime();
    let tries = 0;
    const repeat = () => {
      tries += 1;
      timers.after(DAY_MS, repeat);
    };
    repeat();
    await runUntil(async () => tries === 4);
    expect(elapsedMs()).toBe(3 * DAY_MS);
  });

  it('makes runUntil() reject if no timer is left', async () => {
    const { timers, runUntil } = virtualTime();
    timers.after(HOUR_MS, () => {});
    await expect(runUntil(() => false)).rejects.toThrow(/no timer is set .* holdWhile/);
  });

  it('makes runUntil() reject if its condition is not met within 30 days', async () => {
    const { timers, runUntil, elapsedMs } = startTime();
    const repeat = () => void timers.after(DAY_MS, repeat);
    repeat();
    await expect(runUntil(() => false)).rejects.toThrow('not reached within');
    expect(elapsedMs()).toBe(30 * DAY_MS);
  });
});
