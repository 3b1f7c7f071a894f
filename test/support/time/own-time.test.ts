import { setTimeout as elapsed } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ownTime, within } from './own-time.ts';

/** A simulated process that runs, works or is suspended, as the test says. */
function scriptedProcess() {
  let nowMs = 0;
  let workedMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const usage = vi
    .spyOn(process, 'cpuUsage')
    .mockImplementation((since = { user: 0, system: 0 }) => ({
      user: workedMs * 1000 - since.user,
      system: 0,
    }));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
    clock.mockRestore();
    usage.mockRestore();
  });
  return {
    /** The process is idle. */
    run(ms: number) {
      for (let tick = 0; tick < ms; tick += 1) {
        nowMs += 1;
        vi.advanceTimersByTime(1);
      }
    },
    suspend(ms: number) {
      nowMs += ms;
    },
    work(ms: number) {
      nowMs += ms;
      workedMs += ms;
    },
  };
}

describe('ownTime()', () => {
  it('equals the elapsed time while the process can run', () => {
    const { run } = scriptedProcess();
    const time = ownTime();
    run(300);
    expect(time.stop()).toBe(300);
  });

  it('counts at most two ticks while the process is suspended', () => {
    const process = scriptedProcess();
    const time = ownTime();
    process.run(50);
    process.suspend(500);
    process.run(50);
    // The suspension and the 10 ms until the next tick count as two ticks of 10 ms.
    expect(time.stop()).toBe(50 + 20 + 40);
  });

  it('counts CPU time even if timers do not run', () => {
    const process = scriptedProcess();
    const time = ownTime();
    process.work(300);
    expect(time.stop()).toBe(300);
  });

  it('counts real CPU time', () => {
    const time = ownTime();
    const before = process.cpuUsage();
    while (process.cpuUsage(before).user < 300_000);
    expect(time.stop()).toBeGreaterThan(200);
  });

  it('lets within() reject work that never ends', async () => {
    await expect(within(50, new Promise(() => {}))).rejects.toThrow('longer than 50 ms');
  });

  it('lets within() settle with its work after the process was suspended', async () => {
    const work = elapsed(20, 'answer');
    // Blocks this process, as if it was suspended.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    expect(await within(200, work)).toBe('answer');
    await expect(within(200, Promise.reject(new Error('rejected')))).rejects.toThrow('rejected');
  });
});
