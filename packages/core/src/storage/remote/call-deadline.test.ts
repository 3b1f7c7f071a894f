import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StorageUnavailableError } from '../../errors.ts';
import { answerElsewhere, standStill } from '../../faults/stand-still.test.support.ts';
import { CallDeadline } from './call-deadline.ts';

describe('a deadline of a call', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('passes on the result of work that ends in time, or its error', async () => {
    const deadline = new CallDeadline('MariaDB', 1000);
    await expect(deadline.bound(Promise.resolve('answer'))).resolves.toBe('answer');
    const fault = new Error('rejected');
    await expect(deadline.bound(Promise.reject(fault))).rejects.toBe(fault);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects with StorageUnavailableError and abandons work that takes longer', async () => {
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

  it('has passed after its rejection even if a timer fires too early', async () => {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const deadline = new CallDeadline('MariaDB', 60_000);
    const rejected = expect(deadline.bound(new Promise(() => {}))).rejects.toThrow('MariaDB');
    vi.advanceTimersByTime(60_000);
    await rejected;
    expect(deadline.passed).toBe(true);
  });

  it('accepts an answer that arrived while the process was stopped', async () => {
    vi.useRealTimers();
    const deadline = new CallDeadline('MariaDB', 50);
    const abandon = vi.fn();
    const waiting = deadline.bound(answerElsewhere(), abandon);
    standStill(200);
    expect(await waiting).toHaveLength(8);
    // The last look is over by then, and was called off.
    await new Promise((resolve) => setImmediate(resolve));
    expect(abandon).not.toHaveBeenCalled();
  });

  it('leaves the remaining time to a second call', async () => {
    const deadline = new CallDeadline('MariaDB', 1000);
    vi.advanceTimersByTime(700);
    const rejected = expect(deadline.bound(new Promise(() => {}))).rejects.toThrow('MariaDB');
    vi.advanceTimersByTime(300);
    await rejected;
  });

  it('leaves no rejection unhandled that comes after it has passed', async () => {
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
    // Node reports it once the microtasks have run.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
