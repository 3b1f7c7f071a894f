import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHashLimiter, type HashLimiter, type Shed } from './hash-limiter.ts';

const DONE = { outcome: 'done' } as const;
const MAX_WAIT_MS = 1_800;
/** After this time, two waiters differ in their deadlines. */
const LATER_MS = 1_000;

/** Jobs that end on demand, and counts of the started and the active ones. */
function createJobs() {
  const finishActive: (() => void)[] = [];
  const jobs = {
    started: 0,
    active: 0,
    maxActive: 0,
    run: async () => {
      jobs.started += 1;
      jobs.active += 1;
      jobs.maxActive = Math.max(jobs.maxActive, jobs.active);
      await new Promise<void>((resolve) => finishActive.push(resolve));
      jobs.active -= 1;
      return DONE;
    },
    finishOne: async () => {
      finishActive.shift()?.();
      await settle();
    },
  };
  return jobs;
}

/** Lets every promise that can settle do so, without advancing the time. */
async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

/** Counts the free permits by taking all of them and giving them back. Only while nobody waits. */
async function freePermits(limiter: HashLimiter): Promise<number> {
  const jobs = createJobs();
  let startedBefore: number;
  do {
    startedBefore = jobs.started;
    void limiter.runIfIdle(jobs.run);
  } while (jobs.started > startedBefore);
  while (jobs.active > 0) await jobs.finishOne();
  return jobs.started;
}

function reasonOf(result: typeof DONE | Shed): string {
  return result.outcome === 'shed' ? result.reason : result.outcome;
}

/** Runs work of this duration until the limiter's estimate has reached it. */
async function runUntilEstimated(limiter: HashLimiter, workMs: number): Promise<void> {
  for (let i = 0; i < 500; i += 1) {
    const done = limiter.run(
      () => new Promise<void>((resolve) => setTimeout(resolve, workMs)),
      'one',
    );
    await vi.advanceTimersByTimeAsync(workMs);
    await done;
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the hash limiter', () => {
  it('completes fifty hashes, three at a time, with a concurrency of three', async () => {
    const limiter = createHashLimiter({ concurrency: 3, maxWaitMs: MAX_WAIT_MS });
    const jobs = createJobs();
    const results = Array.from({ length: 50 }, () => limiter.run(jobs.run, 'one'));
    for (let i = 0; i < 50; i += 1) await jobs.finishOne();
    expect((await Promise.all(results)).every((result) => result === DONE)).toBe(true);
    expect(jobs.maxActive).toBe(3);
    expect(await freePermits(limiter)).toBe(3);
  });

  it('holds the permit of a disconnected client until its work is done', async () => {
    const limiter = createHashLimiter({ concurrency: 2, maxWaitMs: 10_000 });
    const jobs = createJobs();
    const disconnect = Promise.resolve('gone');
    const requests = Array.from({ length: 100 }, () =>
      Promise.race([limiter.run(jobs.run, 'one'), disconnect]),
    );
    expect(new Set(await Promise.all(requests))).toEqual(new Set(['gone']));
    expect(jobs.started).toBe(2);
    await jobs.finishOne();
    expect([jobs.started, jobs.active]).toEqual([3, 2]);
    while (jobs.active > 0) await jobs.finishOne();
    expect([jobs.started, jobs.maxActive]).toEqual([100, 2]);
  });

  it('serves the waiters of one key in order of arrival, before any newcomer', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: MAX_WAIT_MS });
    const jobs = createJobs();
    const order: string[] = [];
    void limiter.run(jobs.run, 'one');
    const first = limiter.run(async () => order.push('first'), 'one');
    const second = limiter.run(async () => order.push('second'), 'one');
    const release = jobs.finishOne();
    const newcomer = limiter.run(async () => order.push('newcomer'), 'one');
    await release;
    await Promise.all([first, second, newcomer]);
    expect(order).toEqual(['first', 'second', 'newcomer']);
  });

  it('sheds a request immediately if the measured durations predict too long a wait', async () => {
    const limiter = createHashLimiter({ concurrency: 2, maxWaitMs: 1_000 });
    await runUntilEstimated(limiter, 100);
    const jobs = createJobs();
    const results = Array.from({ length: 30 }, () => limiter.run(jobs.run, 'one'));
    // Two hashes of 100 ms run at once, so 20 more can start within maxWaitMs.
    const admitted = 2 + (2 * 1_000) / 100;
    for (const result of results.slice(admitted)) {
      expect(await result).toEqual({ outcome: 'shed', reason: 'queue_full' });
    }
    while (jobs.active > 0) await jobs.finishOne();
    expect(jobs.started).toBe(admitted);
  });

  it('estimates by the fastest recent hash, so that one slow hash sheds no request', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 1_000 });
    await runUntilEstimated(limiter, 10);
    const slowHash = limiter.run(
      () => new Promise<void>((resolve) => setTimeout(resolve, 200)),
      'one',
    );
    await vi.advanceTimersByTimeAsync(200);
    await slowHash;
    const jobs = createJobs();
    // The estimate is now below 14 ms, so that 65 requests fit into maxWaitMs. By the slow hash, only 5 would.
    for (let n = 0; n < 65; n += 1) void limiter.run(jobs.run, 'one');
    while (jobs.active > 0) await jobs.finishOne();
    expect(jobs.started).toBe(65);
  });

  it('serves a key within two hashes while another key floods the queue', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: MAX_WAIT_MS });
    const jobs = createJobs();
    const attack = () => void limiter.run(jobs.run, 'attacker');
    for (let n = 0; n < 200; n += 1) attack();
    for (let login = 0; login < 20; login += 1) {
      const startedBefore = jobs.started;
      let position = 0;
      const victim = limiter.run(async () => {
        position = jobs.started - startedBefore + 1;
        return DONE;
      }, 'victim');
      for (let n = 0; n < 200; n += 1) attack();
      await jobs.finishOne();
      await jobs.finishOne();
      expect(await victim).toBe(DONE);
      expect(position).toBeLessThanOrEqual(2);
    }
  });

  it('sheds the newest waiter of the fullest key for a newcomer of a key with fewer waiters', async () => {
    // Four may wait: until a hash is measured, it is assumed to take 20 ms.
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 80 });
    const jobs = createJobs();
    const settled: string[] = [];
    for (const name of ['a active', 'a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3']) {
      const running = limiter.run(jobs.run, name.charAt(0));
      void running.then((each) => settled.push(`${name} ${reasonOf(each)}`));
      await settle();
    }
    expect(settled).toEqual(['a4 queue_full', 'a3 queue_full', 'b3 queue_full']);
    while (jobs.active > 0) await jobs.finishOne();
    expect(jobs.started).toBe(1 + 4); // The active job and its four waiters.
  });

  it('gives one key the whole queue while no other key has waiters', async () => {
    const limiter = createHashLimiter({ concurrency: 2, maxWaitMs: MAX_WAIT_MS });
    const jobs = createJobs();
    // Two run. The others can start within maxWaitMs, two every 20 ms: until a hash is measured, that is assumed.
    const logins = Array.from({ length: 2 + 180 }, () => limiter.run(jobs.run, 'one'));
    while (jobs.active > 0) await jobs.finishOne();
    for (const login of logins) expect(await login).toBe(DONE);
  });

  it('queues no request if one hash takes longer than maxWaitMs', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 100 });
    await runUntilEstimated(limiter, 500);
    const jobs = createJobs();
    void limiter.run(jobs.run, 'one');
    expect(await limiter.run(jobs.run, 'one')).toEqual({ outcome: 'shed', reason: 'queue_full' });
  });

  it('sheds each waiter exactly after its own maxWaitMs', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: MAX_WAIT_MS });
    const jobs = createJobs();
    const settled: string[] = [];
    void limiter.run(jobs.run, 'one');
    void limiter.run(jobs.run, 'two').then((each) => settled.push(`early ${JSON.stringify(each)}`));
    await vi.advanceTimersByTimeAsync(LATER_MS);
    void limiter.run(jobs.run, 'one').then((each) => settled.push(`late ${JSON.stringify(each)}`));
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MS - LATER_MS - 1);
    expect(settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toEqual(['early {"outcome":"shed","reason":"wait_too_long"}']);
    await vi.advanceTimersByTimeAsync(LATER_MS - 1);
    expect(settled).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled[1]).toBe('late {"outcome":"shed","reason":"wait_too_long"}');
    expect([jobs.started, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it('admits no waiter past its deadline, even if the timer is late', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: MAX_WAIT_MS });
    const jobs = createJobs();
    void limiter.run(jobs.run, 'one');
    const waiter = limiter.run(jobs.run, 'one');
    // The clock advances without the timers, which happens while the event loop is blocked.
    const blockedUntilMs = performance.now() + MAX_WAIT_MS + 200;
    const clock = vi.spyOn(performance, 'now').mockReturnValue(blockedUntilMs);
    await jobs.finishOne();
    expect(await waiter).toEqual({ outcome: 'shed', reason: 'wait_too_long' });
    expect(await freePermits(limiter)).toBe(1);
    clock.mockRestore();
  });

  it('keeps no timer once the queue is empty', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: MAX_WAIT_MS });
    const jobs = createJobs();
    void limiter.run(jobs.run, 'one');
    const waiter = limiter.run(jobs.run, 'one');
    expect(vi.getTimerCount()).toBe(1);
    await jobs.finishOne();
    await jobs.finishOne();
    expect(await waiter).toBe(DONE);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects with the error of work that rejects or throws, and releases its permit', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: MAX_WAIT_MS });
    const fault = new Error('out of memory');
    await expect(limiter.run(() => Promise.reject(fault), 'one')).rejects.toBe(fault);
    const thrown = limiter.run(() => {
      throw fault;
    }, 'one');
    await expect(thrown).rejects.toBe(fault);
    expect(await freePermits(limiter)).toBe(1);
  });

  it('runs idle work only if a permit is free, and counts the permit of idle work too', async () => {
    const limiter = createHashLimiter({ concurrency: 2, maxWaitMs: MAX_WAIT_MS });
    const jobs = createJobs();
    void limiter.run(jobs.run, 'one');
    const idle = limiter.runIfIdle(jobs.run);
    expect(await limiter.runIfIdle(jobs.run)).toEqual({ outcome: 'busy' });
    await jobs.finishOne();
    await jobs.finishOne();
    expect(await idle).toBe(DONE);
    expect(jobs.started).toBe(2);
    expect(await freePermits(limiter)).toBe(2);
  });
});
