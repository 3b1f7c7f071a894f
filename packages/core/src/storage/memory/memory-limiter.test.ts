import { describe, expect, it } from 'vitest';
import { memoryLimiters } from './memory-limiter.ts';

/** A limiter with a window of a minute, on a clock whose wall-clock and monotonic time are set separately. */
function fixture() {
  const time = { nowMs: 1_000_000, monotonicMs: 0 };
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.monotonicMs };
  const limiters = memoryLimiters(clock);
  return { time, limiter: limiters({ keyPrefix: 'logins', duration: 60 }) };
}

describe('a limiter in memory', () => {
  it('ends a window on time even if the wall clock is set back by an hour', async () => {
    const { time, limiter } = fixture();
    await limiter.block('ada', 30);
    time.nowMs -= 3_600_000;
    time.monotonicMs += 10_000;
    expect(await limiter.get('ada', [])).toMatchObject([{ msBeforeNext: 20_000 }]);
    time.monotonicMs += 20_000;
    expect(await limiter.get('ada', [])).toEqual([null]);
  });

  it('keeps a window open even if the wall clock is set ahead by an hour', async () => {
    const { time, limiter } = fixture();
    await limiter.penalty('ada');
    time.nowMs += 3_600_000;
    expect(await limiter.penalty('ada')).toEqual({ consumedPoints: 2, msBeforeNext: 60_000 });
  });

  it('returns the exact length of a window that opens at a fraction of a millisecond', async () => {
    const { time, limiter } = fixture();
    for (let i = 1; i <= 100; i += 1) {
      time.monotonicMs = i * 1_234.567;
      expect((await limiter.penalty(`user ${i}`)).msBeforeNext).toBe(60_000);
    }
  });

  it('counts from zero once the window is over', async () => {
    const { time, limiter } = fixture();
    await limiter.penalty('ada');
    time.monotonicMs += 60_000;
    expect((await limiter.penalty('ada')).consumedPoints).toBe(1);
  });
});
