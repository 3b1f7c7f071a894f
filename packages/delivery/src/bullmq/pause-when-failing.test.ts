import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { pauseWhenFailing } from './pause-when-failing.ts';

class Worker extends EventEmitter {
  readonly done: string[] = [];
  async pause(): Promise<void> {
    this.done.push('pause');
  }
  async resume(): Promise<void> {
    this.done.push('resume');
  }
  fail(times: number): void {
    for (let nth = 0; nth < times; nth += 1) this.emit('error', new Error('READONLY'));
  }
}

function workerThatPauses(): Worker {
  const worker = new Worker();
  pauseWhenFailing(worker);
  return worker;
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('a worker that fails', () => {
  it('is put up with now and then', async () => {
    const worker = workerThatPauses();
    for (let second = 0; second < 10; second += 1) {
      worker.fail(10);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(worker.done).toEqual([]);
  });

  it('pauses until the second is over when it fails over and over', async () => {
    const worker = workerThatPauses();
    worker.fail(15);
    expect(worker.done).toEqual(['pause']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(worker.done).toEqual(['pause', 'resume']);
    worker.fail(11);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(worker.done).toEqual(['pause', 'resume', 'pause', 'resume']);
  });
});
