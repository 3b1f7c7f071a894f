import { describe, expect, it } from 'vitest';
import { LocalLocks } from './local-locks.ts';

function fixture() {
  const time = { nowMs: 1_700_000_000_000, monotonicMs: 0 };
  const locks = new LocalLocks({
    nowMs: () => time.nowMs,
    monotonicMs: () => time.monotonicMs,
  });
  return { time, locks };
}

describe('LocalLocks', () => {
  it('keeps a name locked exactly until its time is over', () => {
    const { time, locks } = fixture();
    expect(locks.leftMs('ada')).toBe(0);
    locks.lock('ada', 1_000);
    time.monotonicMs = 999;
    expect(locks.leftMs('ada')).toBe(1);
    time.monotonicMs = 1_000;
    expect(locks.leftMs('ada')).toBe(0);
    expect(locks.size).toBe(0);
  });

  it('keeps a name locked for the given time even if the wall clock is changed', () => {
    const { time, locks } = fixture();
    locks.lock('ada', 1_000);
    time.nowMs -= 3_600_000;
    time.monotonicMs = 400;
    expect(locks.leftMs('ada')).toBe(600);
    time.nowMs += 7_200_000;
    expect(locks.leftMs('ada')).toBe(600);
  });

  it('locks a name for exactly the given time at any fraction of a millisecond', () => {
    const { time, locks } = fixture();
    for (let i = 1; i <= 100; i += 1) {
      time.monotonicMs = i * 1_234.567;
      locks.lock('ada', 60_000);
      expect(locks.leftMs('ada')).toBe(60_000);
    }
  });

  it('keeps at most twice as many names as are locked', () => {
    const { time, locks } = fixture();
    for (let i = 0; i < 10_000; i += 1) {
      locks.lock(`name ${i}`, 100);
      time.monotonicMs += 1;
    }
    expect(locks.size).toBeLessThanOrEqual(200);
    expect(locks.leftMs('name 9999')).toBe(99);
  });
});
