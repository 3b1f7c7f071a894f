import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  answered,
  type Script,
  scheduled,
  scriptedDeps,
  started,
} from '../runs/scripted-deps.test.support.ts';
import { LocalRuns } from './local-runs.ts';

/** One at a time, by a queue that takes nothing back. */
function refusedRuns(script: Script) {
  const deps = scriptedDeps(script);
  const refuse = () => Promise.reject(new Error('the queue is unavailable'));
  return { deps, runs: new LocalRuns(deps, 1, refuse) };
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('runs of this process that the queue does not take back', () => {
  it('goes on where the queue does not take back', async () => {
    const { deps, runs } = refusedRuns({ send: () => answered(500) });
    runs.take(scheduled('msg_1'));
    runs.take(scheduled('msg_2'));
    await vi.advanceTimersByTimeAsync(0);
    expect(deps.calls).toContain('finish msg_2');
    await runs.close();
  });

  it('asks again by itself for what the queue does not take back, when its time has come', async () => {
    const delays = [5_000, 101, 0];
    const { deps, runs } = refusedRuns({
      start: () => {
        const delayMs = delays.shift() ?? 0;
        return delayMs > 0
          ? { outcome: 'deferred', delayMs, reason: 'rate', next: null }
          : started();
      },
    });
    runs.take(scheduled('msg_1'));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(deps.calls).toEqual(['start msg_1']);
    await vi.advanceTimersByTimeAsync(1);
    expect(deps.calls.filter((call) => call.startsWith('start'))).toHaveLength(2);
    // What is to be asked for sooner is left alone for a second.
    await vi.advanceTimersByTimeAsync(999);
    expect(deps.calls).not.toContain('finish msg_1');
    await vi.advanceTimersByTimeAsync(1);
    expect(deps.calls).toContain('finish msg_1');
    await runs.close();
  });

  it('asks for nothing more that the queue did not take back, once it is closed', async () => {
    const { deps, runs } = refusedRuns({
      start: () => ({ outcome: 'deferred', delayMs: 5_000, reason: 'rate', next: null }),
    });
    runs.take(scheduled('msg_1'));
    await vi.advanceTimersByTimeAsync(100);
    await runs.close();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(deps.calls).toEqual(['start msg_1']);
  });

  it('keeps nothing that the queue does not take as it closes', async () => {
    const { runs } = refusedRuns({
      send: () => new Promise((resolve) => void setTimeout(() => resolve(answered(200)), 50)),
    });
    for (const id of ['msg_1', 'msg_2']) runs.take(scheduled(id));
    const closed = runs.close();
    await vi.advanceTimersByTimeAsync(50);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('asks for what it keeps within about an hour, and once, however often it came back', async () => {
    const { deps, runs } = refusedRuns({
      start: () => ({ outcome: 'deferred', delayMs: 86_400_000, reason: 'rate', next: null }),
    });
    for (const _ of ['published', 'swept']) {
      runs.take(scheduled('msg_1'));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(deps.calls).toHaveLength(3);
    await runs.close();
  });
});
