import { beforeEach, describe, expect, it, vi } from 'vitest';
import { runWithShortWaits } from './run-with-short-waits.ts';
import { scheduled, scriptedDeps, started } from './scripted-deps.test.support.ts';

/** A store that defers so often, each time by so much, and then starts. */
function deferring(times: number, delayMs: number) {
  let left = times;
  return scriptedDeps({
    start() {
      left -= 1;
      return left < 0 ? started() : { outcome: 'deferred', delayMs, reason: 'rate', next: null };
    },
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('a run with short waits', () => {
  it('waits in place for what is due in a moment', async () => {
    const deps = deferring(2, 30);
    const step = runWithShortWaits(deps, scheduled('msg_1'));
    await vi.advanceTimersByTimeAsync(59);
    expect(deps.calls).toEqual(['start msg_1', 'start msg_1']);
    await vi.advanceTimersByTimeAsync(1);
    expect(await step).toEqual({ outcome: 'delivered' });
  });

  it('leaves a longer wait to the queue', async () => {
    const deps = deferring(1, 101);
    const step = await runWithShortWaits(deps, scheduled('msg_1'));
    expect(step).toEqual({ outcome: 'wait', delayMs: 101 });
  });

  it('releases its slot while it waits, and is turned away where others have acquired it', async () => {
    const deps = scriptedDeps({
      slots: 30,
      start: () => ({ outcome: 'deferred', delayMs: 30, reason: 'rate', next: null }),
    });
    deps.slots.tryAcquire(1);
    const step = runWithShortWaits(deps, scheduled('msg_1'));
    await vi.advanceTimersByTimeAsync(29);
    for (let nth = 0; nth < 10; nth += 1) expect(deps.slots.tryAcquire(1)).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(await step).toMatchObject({ outcome: 'wait' });
    expect(deps.calls).toEqual(['start msg_1']);
  });

  it('does not hold its slot for long, however often it is deferred', async () => {
    const deps = deferring(1_000, 100);
    const step = runWithShortWaits(deps, scheduled('msg_1'));
    await vi.advanceTimersByTimeAsync(500);
    expect(await step).toEqual({ outcome: 'wait', delayMs: 100 });
    expect(deps.calls).toHaveLength(6);
  });

  it('does not wait in place after an attempt that failed', async () => {
    const deps = scriptedDeps({
      send: () => ({
        status: 500,
        durationMs: 1,
        error: null,
        response: '',
        retryAfterMs: null,
      }),
    });
    const step = await runWithShortWaits(deps, scheduled('msg_1'));
    expect(step).toMatchObject({ outcome: 'retry', reason: 'status 500' });
    expect(deps.calls).toEqual(['start msg_1', 'send msg_1', 'finish msg_1']);
  });
});
