import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { virtualTime } from './virtual-time.ts';

const HOUR_MS = 3_600_000;

describe('virtual time', () => {
  it('does not advance by itself', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { clock } = virtualTime({ startMs: 1_000 });
    vi.advanceTimersByTime(HOUR_MS);
    expect(clock.nowMs()).toBe(1_000);
  });

  it('fires timers in order, each at its due time', async () => {
    const { clock, timers, advance } = virtualTime({ startMs: 0 });
    const fired: string[] = [];
    for (const [name, ms] of Object.entries({ late: 30, first: 10, second: 10, after: 31 })) {
      timers.after(ms, () => fired.push(`${name} at ${clock.nowMs()}`));
    }
    await advance(30);
    expect(fired).toEqual(['first at 10', 'second at 10', 'late at 30']);
    expect(clock.nowMs()).toBe(30);
    await advance(1);
    expect(fired.at(-1)).toBe('after at 31');
  });

  it('does not fire a cancelled timer, even if cancelled by one due at the same time', async () => {
    const { timers, advance, nextTimerAtMs } = virtualTime({ startMs: 0 });
    const fired: string[] = [];
    timers.after(5, () => {
      fired.push('first');
      callOff();
    });
    const callOff = timers.after(5, () => fired.push('second'));
    timers.after(9, () => fired.push('third'))();
    await advance(10);
    expect(fired).toEqual(['first']);
    expect(nextTimerAtMs()).toBeNull();
  });

  it('settles promises between timers, so that timers set by them fire on time', async () => {
    const { clock, timers, advance } = virtualTime({ startMs: 0 });
    const moments: number[] = [];
    const again = async () => {
      await new Promise(setImmediate);
      moments.push(clock.nowMs());
      if (moments.length < 5) timers.after(10, again);
    };
    timers.after(10, again);
    timers.after(15, () => moments.push(clock.nowMs()));
    await advance(40);
    expect(moments).toEqual([10, 15, 20, 30, 40]);
  });

  it('advances by at least 1 ms per timer, so that one that sets itself again cannot block it', async () => {
    const { timers, advance } = virtualTime();
    let firings = 0;
    const again = () => {
      firings += 1;
      timers.after(0, again);
    };
    again();
    await advance(10);
    expect(firings).toBe(11);
  });

  it('stands still while a condition of standStillWhile() holds', async () => {
    const { clock, timers, advance, standStillWhile } = virtualTime({ startMs: 0 });
    let isUnderWay = false;
    standStillWhile(() => isUnderWay);
    timers.after(10, () => {
      isUnderWay = true;
    });
    timers.after(11, () => {});
    const advanced = advance(20);
    // Many more turns than it would take to go on.
    for (let turn = 0; turn < 500; turn += 1) await new Promise(setImmediate);
    expect(clock.nowMs()).toBe(10);
    isUnderWay = false;
    await advanced;
    expect(clock.nowMs()).toBe(20);
  });

  it('runUntil() advances days from timer to timer until its condition holds', async () => {
    const { clock, timers, runUntil } = virtualTime({ startMs: 0 });
    let tries = 0;
    const again = () => {
      tries += 1;
      timers.after(24 * HOUR_MS, again);
    };
    again();
    await runUntil(async () => tries === 4);
    expect(clock.nowMs()).toBe(72 * HOUR_MS);
  });

  it('runUntil() rejects if no timer is set', async () => {
    const { timers, runUntil } = virtualTime({ startMs: 0 });
    timers.after(HOUR_MS, () => {});
    await expect(runUntil(() => false)).rejects.toThrow(/no timer is set .* standStillWhile/);
  });

  it('rejects a misspelt option', async () => {
    expect(() => virtualTime({ startMS: 0 } as object)).toThrow(/knows no "startMS"/);
    const { runUntil } = virtualTime();
    const misspelt = { limitMS: HOUR_MS } as object;
    await expect(runUntil(() => true, misspelt)).rejects.toThrow(/knows no "limitMS"/);
  });

  it('runUntil() rejects and stops at limitMs', async () => {
    const { clock, timers, runUntil } = virtualTime({ startMs: 0 });
    const again = () => void timers.after(60_000, again);
    again();
    await expect(runUntil(() => false, { limitMs: HOUR_MS })).rejects.toThrow('not reached within');
    expect(clock.nowMs()).toBe(HOUR_MS);
  });
});
