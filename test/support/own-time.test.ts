import { setTimeout as elapsed } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ownTime, within } from './own-time.ts';
import { standStill } from './stand-still.ts';

describe('own time', () => {
  it('is that of every clock while the process can run', async () => {
    const time = ownTime();
    await elapsed(300);
    expect(time.stop()).toBeGreaterThan(100);
  });

  it('does not count what the process stands still for', async () => {
    const time = ownTime();
    standStill(500);
    await elapsed(1);
    expect(time.stop()).toBeLessThan(300);
  });

  it('counts what the process works, though nothing else gets on meanwhile', async () => {
    const time = ownTime();
    const before = process.cpuUsage();
    while (process.cpuUsage(before).user < 300_000);
    expect(time.stop()).toBeGreaterThan(200);
  });

  it('bounds work that never ends', async () => {
    await expect(within(50, new Promise(() => {}))).rejects.toThrow('longer than 50 ms');
  });

  it('hands on what work answers or throws, though the process stood still meanwhile', async () => {
    const work = elapsed(20, 'answer');
    standStill(500);
    expect(await within(200, work)).toBe('answer');
    await expect(within(200, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });
});
