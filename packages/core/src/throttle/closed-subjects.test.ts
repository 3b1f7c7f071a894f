import { describe, expect, it } from 'vitest';
import { ClosedSubjects } from './closed-subjects.ts';

function subjects() {
  const time = { nowMs: 1_700_000_000_000, steadyMs: 0 };
  const closed = new ClosedSubjects({
    nowMs: () => time.nowMs,
    monotonicMs: () => time.steadyMs,
  });
  return { time, closed };
}

describe('what is known to be closed', () => {
  it('opens when its time is over, and not before', () => {
    const { time, closed } = subjects();
    expect(closed.leftMs('ada')).toBe(0);
    closed.close('ada', 1_000);
    time.steadyMs = 999;
    expect(closed.leftMs('ada')).toBe(1);
    time.steadyMs = 1_000;
    expect(closed.leftMs('ada')).toBe(0);
    expect(closed.size).toBe(0);
  });

  it('stays closed for as long as it was told, wherever the time of day is set to', () => {
    const { time, closed } = subjects();
    closed.close('ada', 1_000);
    time.nowMs -= 3_600_000;
    time.steadyMs = 400;
    expect(closed.leftMs('ada')).toBe(600);
    time.nowMs += 7_200_000;
    expect(closed.leftMs('ada')).toBe(600);
  });

  it('keeps at most twice as many as are closed', () => {
    const { time, closed } = subjects();
    for (let nth = 0; nth < 10_000; nth += 1) {
      closed.close(`name ${nth}`, 100);
      time.steadyMs += 1;
    }
    expect(closed.size).toBeLessThanOrEqual(200);
    expect(closed.leftMs('name 9999')).toBe(99);
  });
});
