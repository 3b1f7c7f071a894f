import { describe, expect, it } from 'vitest';
import { virtualTime } from '../time/virtual-time.ts';
import { drained } from './drained.ts';

describe('drained', () => {
  it('moves virtual time on until nothing pends', async () => {
    const time = virtualTime({ startMs: 0 });
    let pending = 3;
    for (const ms of [5, 3_600_000, 75 * 3_600_000]) {
      time.timers.after(ms, () => {
        pending -= 1;
      });
    }
    await drained({ countPending: async () => pending }, time);
    expect(pending).toBe(0);
    expect(time.clock.nowMs()).toBe(75 * 3_600_000);
  });

  it('says so if deliveries are pending that nothing will send', async () => {
    await expect(drained({ countPending: async () => 1 }, virtualTime())).rejects.toThrow();
  });

  it('waits in real time if there is no other', async () => {
    let looks = 0;
    await drained({
      countPending: async () => {
        looks += 1;
        return looks < 3 ? 1 : 0;
      },
    });
    expect(looks).toBe(3);
  });
});
