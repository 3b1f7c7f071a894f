import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { restWhenFailing } from './rest-when-failing.ts';

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

function workerThatRests(): Worker {
  const worker = new Worker();
  restWhenFailing(worker);
  return worker;
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('a worker that fails', () => {
  it('is put up with now and then', async () => {
    const worker = workerThatRests();
    for (let second = 0; second < 10; second += 1) {
      worker.fail(10);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(worker.done).toEqual([]);
  });

  it('rests for the rest of the second when it fails over and over', async () => {
    const worker = workerThatRests();
    worker.fail(15);
    expect(worker.done).toEqual(['pause']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(worker.done).toEqual(['pause', 'resume']);
    worker.fail(11);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(worker.done).toEqual(['pause', 'resume', 'pause', 'resume']);
  });
});
