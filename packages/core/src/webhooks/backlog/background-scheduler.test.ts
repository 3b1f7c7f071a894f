import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { BackgroundScheduler, type Steps } from './background-scheduler.ts';

/** A scheduler whose pauses end when a test says so, and whose steps take as long as they say. */
function scene() {
  const done: string[] = [];
  const faults: unknown[] = [];
  const pauses: number[] = [];
  let nowMs = 0;
  let endPause: (() => void) | null = null;
  const scheduler = new BackgroundScheduler({
    clock: { nowMs: () => nowMs },
    timers: {
      after(ms, callback) {
        pauses.push(ms);
        endPause = () => {
          endPause = null;
          callback();
        };
        return () => {
          endPause = null;
        };
      },
    },
    reportFault: (error) => void faults.push(error),
  });

  async function* steps(name: string, { count = 3, ms = 10, failsAt = 0 } = {}): Steps {
    for (let nth = 1; nth <= count; nth += 1) {
      if (nth > 1) yield;
      nowMs += ms;
      if (nth === failsAt) throw new Error(`${name} ${nth}`);
      done.push(`${name}${nth}`);
    }
  }

  /** Has the scheduler go on until it has done all. */
  async function goOn(): Promise<void> {
    for (let known = -1; known < pauses.length; ) {
      known = pauses.length;
      endPause?.();
      await new Promise(setImmediate);
    }
  }

  const add = (webhookId: string, job: Steps, accountId = 1) =>
    scheduler.add({ accountId, webhookId }, 'reschedule', job);
  return { scheduler, add, steps, goOn, done, faults, pauses, isPausing: () => endPause !== null };
}

describe('the background scheduler', () => {
  it('has only the first step waited for, and pauses three times as long as each took', async () => {
    const { add, steps, goOn, done, pauses } = scene();
    await add('a', steps('a', { count: 3, ms: 10 }));
    expect([done, pauses]).toEqual([['a1'], [30]]);
    await goOn();
    expect(done).toEqual(['a1', 'a2', 'a3']);
    expect(pauses).toEqual([30, 30, 30]);
  });

  it('does in the async context of a request only what that waits for', async () => {
    const { add, goOn } = scene();
    const context = new AsyncLocalStorage<string>();
    const contexts: unknown[] = [];
    async function* noted(): Steps {
      contexts.push(context.getStore());
      yield;
      contexts.push(context.getStore());
    }
    await context.run('a request', () => add('a', noted()));
    await context.run('another', goOn);
    expect(contexts).toEqual(['a request', undefined]);
  });

  it('lets nobody wait for a step who comes while it is busy or pauses', async () => {
    const { add, steps, goOn, done } = scene();
    await add('a', steps('a', { count: 1 }));
    await add('b', steps('b', { count: 1 }));
    expect(done).toEqual(['a1']);
    await goOn();
    expect(done).toEqual(['a1', 'b1']);
    await add('a', steps('c', { count: 1 }));
    expect(done).toEqual(['a1', 'b1', 'c1']);
  });

  it('does without a pause where steps take no time', async () => {
    const { add, steps, goOn, done, pauses } = scene();
    await add('a', steps('a', { ms: 0 }));
    await goOn();
    expect(done).toEqual(['a1', 'a2', 'a3']);
    expect(pauses).toEqual([]);
  });

  it('has accounts take turns, and the jobs of each', async () => {
    const { add, steps, goOn, done } = scene();
    await add('a', steps('a'));
    for (const name of ['b', 'c']) await add(name, steps(name, { count: 2 }));
    await add('z', steps('z', { count: 4 }), 2);
    await goOn();
    expect(done).toEqual(['a1', 'a2', 'z1', 'b1', 'z2', 'c1', 'z3', 'a3', 'z4', 'b2', 'c2']);
  });

  it('goes on with the newest job of a name alone, however often it came', async () => {
    const { add, steps, goOn, done } = scene();
    await add('a', steps('old'));
    for (const name of ['second', 'third', 'new']) await add('a', steps(name));
    await goOn();
    expect(done).toEqual(['old1', 'new1', 'new2', 'new3']);
  });

  it('tells jobs of two names apart', async () => {
    const { scheduler, add, steps, goOn, done } = scene();
    await add('a', steps('a', { count: 2 }));
    await scheduler.add({ accountId: 1, webhookId: 'a' }, 'release', steps('b', { count: 2 }));
    await goOn();
    expect(done).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('goes on with the older where the newest fails at once', async () => {
    const { add, steps, goOn, done, faults } = scene();
    await add('a', steps('old'));
    await add('a', steps('new', { failsAt: 1 }));
    await goOn();
    expect(done).toEqual(['old1', 'old2', 'old3']);
    expect(faults).toEqual([new Error('new 1')]);
  });

  it('leaves a job that fails, and goes on with what others have', async () => {
    const { add, steps, goOn, done, faults } = scene();
    await add('a', steps('a', { failsAt: 2 }));
    await add('b', steps('b', { count: 2 }));
    await goOn();
    expect(done).toEqual(['a1', 'b1', 'b2']);
    expect(faults).toEqual([new Error('a 2')]);
  });

  it('takes what is added during a step of the same name for newer', async () => {
    const { add, steps, goOn, done } = scene();
    const { slow, end } = held(done);
    const first = add('a', slow);
    await add('a', steps('new'));
    end();
    await first;
    await goOn();
    expect(done).toEqual(['slow1', 'new1', 'new2', 'new3']);
  });

  it('ends with the running step once it is closed', async () => {
    const { scheduler, add, steps, goOn, done } = scene();
    await add('a', steps('a'));
    await scheduler.close();
    await add('a', steps('b'));
    await goOn();
    expect(done).toEqual(['a1']);
  });

  it('leaves no timer once it is closed, and begins nothing that is added then', async () => {
    const { scheduler, add, steps, done, isPausing } = scene();
    await add('a', steps('a', { count: 1 }));
    expect(isPausing()).toBe(true);
    await scheduler.close();
    expect(isPausing()).toBe(false);
    const idle = scene();
    await idle.scheduler.close();
    await idle.add('a', idle.steps('a'));
    expect([done, idle.done]).toEqual([['a1'], []]);
  });

  it('is closed when the running step has ended', async () => {
    const { scheduler, add, done } = scene();
    const { slow, end } = held(done);
    void add('a', slow);
    const closed = scheduler.close().then(() => done.push('closed'));
    await new Promise(setImmediate);
    end();
    await closed;
    await new Promise(setImmediate);
    expect(done).toEqual(['slow1', 'closed']);
  });
});

/** A job of which the first step lasts until `end`. */
function held(done: string[]): { readonly slow: Steps; readonly end: () => void } {
  let end = (): void => {};
  const isEnded = new Promise<void>((resolve) => {
    end = resolve;
  });
  async function* steps(): Steps {
    await isEnded;
    done.push('slow1');
    yield;
    done.push('slow2');
  }
  return { slow: steps(), end };
}
