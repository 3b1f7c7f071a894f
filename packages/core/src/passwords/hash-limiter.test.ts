import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHashLimiter, type HashLimiter, type HashLimiterOutcome } from './hash-limiter.ts';

/** Work that settles on demand, and counts how much of it goes on at once. */
function createWorkshop() {
  const open: (() => void)[] = [];
  const shop = {
    started: 0,
    active: 0,
    most: 0,
    work: async () => {
      shop.started += 1;
      shop.active += 1;
      shop.most = Math.max(shop.most, shop.active);
      await new Promise<void>((resolve) => open.push(resolve));
      shop.active -= 1;
    },
    finishOne: async () => {
      open.shift()?.();
      await settle();
    },
  };
  return shop;
}

/** Lets every promise that can settle do so, without advancing the time. */
async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

/** Takes every permit that is free, gives them back, and returns how many they were. Only while nobody waits. */
async function freePermits(limiter: HashLimiter): Promise<number> {
  const shop = createWorkshop();
  for (let before = -1; shop.started > before; ) {
    before = shop.started;
    void limiter.runIfIdle(shop.work);
  }
  while (shop.active > 0) await shop.finishOne();
  return shop.started;
}

function reasonOf(outcome: HashLimiterOutcome<unknown>): string {
  return outcome.outcome === 'shed' ? outcome.reason : outcome.outcome;
}

/** Runs work of this length until the limiter has learnt how long it takes. */
async function teach(limiter: HashLimiter, workMs: number): Promise<void> {
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
  it('runs at most three hashes at once with a concurrency of three, and completes all fifty', async () => {
    const limiter = createHashLimiter({ concurrency: 3, maxWaitMs: 1_800 });
    const shop = createWorkshop();
    const outcomes = Array.from({ length: 50 }, () => limiter.run(shop.work, 'one'));
    for (let i = 0; i < 50; i += 1) await shop.finishOne();
    expect((await Promise.all(outcomes)).every(({ outcome }) => outcome === 'done')).toBe(true);
    expect(shop.most).toBe(3);
    expect(await freePermits(limiter)).toBe(3);
  });

  it('holds the permit of a disconnected client until its work is done', async () => {
    const limiter = createHashLimiter({ concurrency: 2, maxWaitMs: 10_000 });
    const shop = createWorkshop();
    const hungUp = Promise.resolve('gone');
    const requests = Array.from({ length: 100 }, () =>
      Promise.race([limiter.run(shop.work, 'one'), hungUp]),
    );
    expect(new Set(await Promise.all(requests))).toEqual(new Set(['gone']));
    expect(shop.started).toBe(2);
    await shop.finishOne();
    expect([shop.started, shop.active]).toEqual([3, 2]);
    while (shop.active > 0) await shop.finishOne();
    expect([shop.started, shop.most]).toEqual([100, 2]);
  });

  it('serves the waiters of one tenant in order of arrival, before any newcomer', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 1_800 });
    const shop = createWorkshop();
    const order: string[] = [];
    void limiter.run(shop.work, 'one');
    const first = limiter.run(async () => order.push('first'), 'one');
    const second = limiter.run(async () => order.push('second'), 'one');
    const release = shop.finishOne();
    const newcomer = limiter.run(async () => order.push('newcomer'), 'one');
    await release;
    await Promise.all([first, second, newcomer]);
    expect(order).toEqual(['first', 'second', 'newcomer']);
  });

  it('sheds a request at once if, by measured durations, it would wait too long', async () => {
    const limiter = createHashLimiter({ concurrency: 2, maxWaitMs: 1_000 });
    await teach(limiter, 100);
    const shop = createWorkshop();
    const outcomes = Array.from({ length: 30 }, () => limiter.run(shop.work, 'one'));
    const inTime = 2 + (2 * 1_000) / 100;
    for (const late of outcomes.slice(inTime)) {
      expect(await late).toEqual({ outcome: 'shed', reason: 'queue_full' });
    }
    while (shop.active > 0) await shop.finishOne();
    expect(shop.started).toBe(inTime);
  });

  it('estimates by the fastest recent hash, so that one slow hash sheds no request', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 1_000 });
    await teach(limiter, 10);
    const stumble = limiter.run(
      () => new Promise<void>((resolve) => setTimeout(resolve, 200)),
      'one',
    );
    await vi.advanceTimersByTimeAsync(200);
    await stumble;
    const shop = createWorkshop();
    for (let n = 0; n < 65; n += 1) void limiter.run(shop.work, 'one');
    while (shop.active > 0) await shop.finishOne();
    expect(shop.started).toBe(65);
  });

  it('serves a tenant within two hashes while another floods the queue', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 1_800 });
    const shop = createWorkshop();
    const attack = () => void limiter.run(shop.work, 'attacker');
    for (let n = 0; n < 200; n += 1) attack();
    for (let login = 0; login < 20; login += 1) {
      const startedBefore = shop.started;
      let turn = 0;
      const victim = limiter.run(async () => {
        turn = shop.started - startedBefore + 1;
      }, 'victim');
      for (let n = 0; n < 200; n += 1) attack();
      await shop.finishOne();
      await shop.finishOne();
      expect(await victim).toMatchObject({ outcome: 'done' });
      expect(turn).toBeLessThanOrEqual(2);
    }
  });

  it('sheds the newest waiter of the fullest tenant for a newcomer with fewer waiters', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 80 });
    const shop = createWorkshop();
    const settled: string[] = [];
    for (const name of ['a active', 'a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3']) {
      const asked = limiter.run(shop.work, name.charAt(0));
      void asked.then((each) => settled.push(`${name} ${reasonOf(each)}`));
      await settle();
    }
    expect(settled).toEqual(['a4 queue_full', 'a3 queue_full', 'b3 queue_full']);
    while (shop.active > 0) await shop.finishOne();
    expect(shop.started).toBe(1 + 4);
  });

  it('gives one tenant the whole queue while no other tenant waits', async () => {
    const limiter = createHashLimiter({ concurrency: 2, maxWaitMs: 1_800 });
    const shop = createWorkshop();
    const logins = Array.from({ length: 2 + 180 }, () => limiter.run(shop.work, 'one'));
    while (shop.active > 0) await shop.finishOne();
    for (const login of logins) expect(await login).toMatchObject({ outcome: 'done' });
  });

  it('queues no request if one hash takes longer than maxWaitMs', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 100 });
    await teach(limiter, 500);
    const shop = createWorkshop();
    void limiter.run(shop.work, 'one');
    expect(await limiter.run(shop.work, 'one')).toEqual({ outcome: 'shed', reason: 'queue_full' });
  });

  it('sheds each waiter exactly after its own maxWaitMs', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 1_800 });
    const shop = createWorkshop();
    const settled: string[] = [];
    void limiter.run(shop.work, 'one');
    void limiter
      .run(shop.work, 'two')
      .then((each) => settled.push(`early ${JSON.stringify(each)}`));
    await vi.advanceTimersByTimeAsync(1_000);
    void limiter.run(shop.work, 'one').then((each) => settled.push(`late ${JSON.stringify(each)}`));
    await vi.advanceTimersByTimeAsync(799);
    expect(settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toEqual(['early {"outcome":"shed","reason":"wait_too_long"}']);
    await vi.advanceTimersByTimeAsync(999);
    expect(settled).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled[1]).toBe('late {"outcome":"shed","reason":"wait_too_long"}');
    expect([shop.started, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it('admits no waiter past its deadline, even if the timer is late', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 1_800 });
    const shop = createWorkshop();
    void limiter.run(shop.work, 'one');
    const waiter = limiter.run(shop.work, 'one');
    // The clock goes on without its timers, as it does while the event loop is blocked.
    const blockedUntilMs = performance.now() + 2_000;
    const clock = vi.spyOn(performance, 'now').mockReturnValue(blockedUntilMs);
    await shop.finishOne();
    expect(await waiter).toEqual({ outcome: 'shed', reason: 'wait_too_long' });
    expect(await freePermits(limiter)).toBe(1);
    clock.mockRestore();
  });

  it('keeps no timer once the queue is empty', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 1_800 });
    const shop = createWorkshop();
    void limiter.run(shop.work, 'one');
    const waiter = limiter.run(shop.work, 'one');
    expect(vi.getTimerCount()).toBe(1);
    await shop.finishOne();
    await shop.finishOne();
    expect(await waiter).toMatchObject({ outcome: 'done' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('passes on an error of the work, and releases its permit', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 1_800 });
    const fault = new Error('out of memory');
    await expect(limiter.run(() => Promise.reject(fault), 'one')).rejects.toBe(fault);
    const thrown = limiter.run(() => {
      throw fault;
    }, 'one');
    await expect(thrown).rejects.toBe(fault);
    expect(await freePermits(limiter)).toBe(1);
  });

  it('runs idle work only if a permit is free, and counts it, too', async () => {
    const limiter = createHashLimiter({ concurrency: 2, maxWaitMs: 1_800 });
    const shop = createWorkshop();
    void limiter.run(shop.work, 'one');
    const idle = limiter.runIfIdle(shop.work);
    expect(await limiter.runIfIdle(shop.work)).toEqual({ outcome: 'busy' });
    await shop.finishOne();
    await shop.finishOne();
    expect(await idle).toEqual({ outcome: 'done', value: undefined });
    expect(shop.started).toBe(2);
    expect(await freePermits(limiter)).toBe(2);
  });
});
