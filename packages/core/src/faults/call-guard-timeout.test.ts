import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { blockProcess, resultOfThreadPool } from './block-process.test.support.ts';
import { createWithTimeout } from './call-guard.ts';

const never = (): Promise<never> => new Promise(() => {});

const lateError = (): Error => new Error('late');

/** How many timers keep this process alive. */
const activeTimers = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('a timeout', () => {
  let results: string[];
  let withTimeout: ReturnType<typeof createWithTimeout>;

  beforeEach(() => {
    vi.useFakeTimers();
    results = [];
    withTimeout = createWithTimeout(1_000, lateError);
  });
  afterEach(() => void vi.useRealTimers());

  function record(name: string, work: Promise<unknown>): void {
    withTimeout(work).then(
      (value) => void results.push(`${name}: ${value}`),
      (error) => void results.push(`${name}: ${error.message}`),
    );
  }

  it('passes on the value or the error of the work', async () => {
    expect(await withTimeout(Promise.resolve(7))).toBe(7);
    const mistake = new Error('mistake');
    await expect(withTimeout(Promise.reject(mistake))).rejects.toBe(mistake);
  });

  it('begins for each call with that call', async () => {
    record('first', never());
    await vi.advanceTimersByTimeAsync(400);
    record('second', never());
    record('third', new Promise((resolve) => setTimeout(resolve, 700, 'in time')));
    await vi.advanceTimersByTimeAsync(599);
    expect(results).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(results).toEqual(['first: late']);
    await vi.advanceTimersByTimeAsync(399);
    expect(results).toEqual(['first: late', 'third: in time']);
    await vi.advanceTimersByTimeAsync(1);
    expect(results).toEqual(['first: late', 'third: in time', 'second: late']);
  });

  it('is not shortened if a call begins while an earlier timer is set', async () => {
    await withTimeout(Promise.resolve());
    await vi.advanceTimersByTimeAsync(900);
    record('later', never());
    await vi.advanceTimersByTimeAsync(999);
    expect(results).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(results).toEqual(['later: late']);
  });

  it('still applies to other calls when the result of an expired call arrives', async () => {
    record('late', new Promise((_, reject) => setTimeout(reject, 1_500, new Error('ignored'))));
    await vi.advanceTimersByTimeAsync(700);
    record('other', never());
    record('another', never());
    await vi.advanceTimersByTimeAsync(800);
    expect(results).toEqual(['late: late']);
    await vi.advanceTimersByTimeAsync(200);
    expect(results).toEqual(['late: late', 'other: late', 'another: late']);
  });

  it('accepts a result that arrived while the process was blocked', async () => {
    vi.useRealTimers();
    const [inTime, late] = [createWithTimeout(50, lateError), createWithTimeout(50, lateError)];
    const settled = Promise.allSettled([inTime(resultOfThreadPool()), late(never())]);
    blockProcess(200);
    expect(await settled).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: lateError() },
    ]);
  });

  it('accepts a result that arrived while another timeout was handled', async () => {
    vi.useRealTimers();
    const withinHundred = createWithTimeout(100, lateError);
    const expiringCall = withinHundred(never());
    expiringCall.catch(() => {});
    // The next call begins 60 ms later, so that it is still in time when the timeout of this one is handled.
    await sleep(60);
    // After an immediate, the event loop handles timers before it reads results.
    await new Promise(setImmediate);
    const completedCall = withinHundred(
      resultOfThreadPool().then(() => {
        const result = resultOfThreadPool();
        // The timeout of this call passes between the timer and the check, in the same turn.
        blockProcess(150);
        return result;
      }),
    );
    // Only the timeout of `expiringCall` passes before the timer.
    blockProcess(60);
    expect(await completedCall).toHaveLength(8);
    await expect(expiringCall).rejects.toThrow('late');
  });

  it('keeps the process alive only while a call is pending', async () => {
    vi.useRealTimers();
    const before = activeTimers();
    // Twice, because the second call finds the timer of the first.
    for (let i = 0; i < 2; i += 1) {
      let finish = (): void => {};
      const call = withTimeout(
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
      );
      expect(activeTimers()).toBe(before + 1);
      finish();
      await call;
      expect(activeTimers()).toBe(before);
    }
  });
});
