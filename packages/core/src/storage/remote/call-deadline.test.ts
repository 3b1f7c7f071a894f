import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StorageUnavailableError } from '../../errors.ts';
import { blockProcess, resultOfThreadPool } from '../../faults/block-process.test.support.ts';
import { CallDeadline } from './call-deadline.ts';

describe('a deadline of a call', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('resolves or rejects as the work does if the work ends in time', async () => {
    const deadline = new CallDeadline('MariaDB', 1000);
    await expect(deadline.bound(Promise.resolve('result'))).resolves.toBe('result');
    const fault = new Error('rejected');
    await expect(deadline.bound(Promise.reject(fault))).rejects.toBe(fault);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects with StorageUnavailableError, and calls abandon, if the work takes longer', async () => {
    const deadline = new CallDeadline('MariaDB', 1000);
    const abandon = vi.fn();
    const waiting = deadline.bound(new Promise(() => {}), abandon);
    const rejected = expect(waiting).rejects.toThrow(
      new StorageUnavailableError('MariaDB did not answer within 1000 ms.'),
    );
    vi.advanceTimersByTime(999);
    expect([deadline.passed, abandon.mock.calls.length]).toEqual([false, 0]);
    vi.advanceTimersByTime(1);
    await rejected;
    expect([deadline.passed, abandon.mock.calls.length]).toEqual([true, 1]);
  });

  it('has passed after a rejection even if the timer fired too early', async () => {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const deadline = new CallDeadline('MariaDB', 60_000);
    const rejected = expect(deadline.bound(new Promise(() => {}))).rejects.toThrow('MariaDB');
    vi.advanceTimersByTime(60_000);
    await rejected;
    expect(deadline.passed).toBe(true);
  });

  it('accepts a response that arrived in time while the process was frozen', async () => {
    vi.useRealTimers();
    const deadline = new CallDeadline('MariaDB', 50);
    const abandon = vi.fn();
    const waiting = deadline.bound(resultOfThreadPool(), abandon);
    blockProcess(200);
    expect(await waiting).toHaveLength(8);
    // By then, the final check of the deadline would have run, but it was cancelled.
    await new Promise((resolve) => setImmediate(resolve));
    expect(abandon).not.toHaveBeenCalled();
  });

  it('gives a second call only the remaining time', async () => {
    const deadline = new CallDeadline('MariaDB', 1000);
    vi.advanceTimersByTime(700);
    const rejected = expect(deadline.bound(new Promise(() => {}))).rejects.toThrow('MariaDB');
    vi.advanceTimersByTime(300);
    await rejected;
  });

  it('leaves no rejection of the work unhandled after the deadline', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const deadline = new CallDeadline('MariaDB', 1000);
    let fail: (error: Error) => void = () => {};
    const work = new Promise((_, reject) => {
      fail = reject;
    });
    const rejected = expect(deadline.bound(work)).rejects.toThrow('within 1000 ms');
    vi.advanceTimersByTime(1000);
    await rejected;
    fail(new Error('late'));
    vi.useRealTimers();
    // Node reports an unhandled rejection once the microtasks have run.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
