import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { BacklogLine, type Parts } from './backlog-line.ts';

/** A line of which the rests end when a test says so, and parts take as long as they say. */
function scene() {
  const done: string[] = [];
  const told: unknown[] = [];
  const rests: number[] = [];
  let nowMs = 0;
  let endRest: (() => void) | null = null;
  const line = new BacklogLine({
    clock: { nowMs: () => nowMs },
    timers: {
      after(ms, callback) {
        rests.push(ms);
        endRest = () => {
          endRest = null;
          callback();
        };
        return () => {
          endRest = null;
        };
      },
    },
    reportFault: (error) => void told.push(error),
  });

  async function* parts(name: string, { count = 3, ms = 10, failsAt = 0 } = {}): Parts {
    for (let nth = 1; nth <= count; nth += 1) {
      if (nth > 1) yield;
      nowMs += ms;
      if (nth === failsAt) throw new Error(`${name} ${nth}`);
      done.push(`${name}${nth}`);
    }
  }

  /** Has the line go on until it is empty. */
  async function goOn(): Promise<void> {
    for (let known = -1; known < rests.length; ) {
      known = rests.length;
      endRest?.();
      await new Promise(setImmediate);
    }
  }

  const join = (webhookId: string, work: Parts, accountId = 1) =>
    line.join({ accountId, webhookId }, 'reschedule', work);
  return { line, join, parts, goOn, done, told, rests, resting: () => endRest !== null };
}

describe('the line of backlogs', () => {
  it('has only the first part waited for, and rests three times as long as each took', async () => {
    const { join, parts, goOn, done, rests } = scene();
    await join('a', parts('a', { count: 3, ms: 10 }));
    expect([done, rests]).toEqual([['a1'], [30]]);
    await goOn();
    expect(done).toEqual(['a1', 'a2', 'a3']);
    expect(rests).toEqual([30, 30, 30]);
  });

  it('does in the async context of a request only what that waits for', async () => {
    const { join, goOn } = scene();
    const context = new AsyncLocalStorage<string>();
    const contexts: unknown[] = [];
    async function* noted(): Parts {
      contexts.push(context.getStore());
      yield;
      contexts.push(context.getStore());
    }
    await context.run('a request', () => join('a', noted()));
    await context.run('another', goOn);
    expect(contexts).toEqual(['a request', undefined]);
  });

  it('lets nobody wait for a part who comes while it is busy or rests', async () => {
    const { join, parts, goOn, done } = scene();
    await join('a', parts('a', { count: 1 }));
    await join('b', parts('b', { count: 1 }));
    expect(done).toEqual(['a1']);
    await goOn();
    expect(done).toEqual(['a1', 'b1']);
    await join('a', parts('c', { count: 1 }));
    expect(done).toEqual(['a1', 'b1', 'c1']);
  });

  it('does without a rest where parts take no time', async () => {
    const { join, parts, done, rests } = scene();
    await join('a', parts('a', { ms: 0 }));
    await expect.poll(() => done).toEqual(['a1', 'a2', 'a3']);
    expect(rests).toEqual([]);
  });

  it('has accounts take turns, and the backlogs of each', async () => {
    const { join, parts, goOn, done } = scene();
    await join('a', parts('a'));
    for (const name of ['b', 'c']) await join(name, parts(name, { count: 2 }));
    await join('z', parts('z', { count: 4 }), 2);
    await goOn();
    expect(done).toEqual(['a1', 'a2', 'z1', 'b1', 'z2', 'c1', 'z3', 'a3', 'z4', 'b2', 'c2']);
  });

  it('goes on with the newest work of a name alone, however often it came', async () => {
    const { join, parts, goOn, done } = scene();
    await join('a', parts('old'));
    for (const name of ['second', 'third', 'new']) await join('a', parts(name));
    await goOn();
    expect(done).toEqual(['old1', 'new1', 'new2', 'new3']);
  });

  it('tells works of two names apart', async () => {
    const { line, join, parts, goOn, done } = scene();
    await join('a', parts('a', { count: 2 }));
    await line.join({ accountId: 1, webhookId: 'a' }, 'release', parts('b', { count: 2 }));
    await goOn();
    expect(done).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('goes on with the older where the newest fails at once', async () => {
    const { join, parts, goOn, done, told } = scene();
    await join('a', parts('old'));
    await join('a', parts('new', { failsAt: 1 }));
    await goOn();
    expect(done).toEqual(['old1', 'old2', 'old3']);
    expect(told).toEqual([new Error('new 1')]);
  });

  it('leaves work that fails, and goes on with what others have', async () => {
    const { join, parts, goOn, done, told } = scene();
    await join('a', parts('a', { failsAt: 2 }));
    await join('b', parts('b', { count: 2 }));
    await goOn();
    expect(done).toEqual(['a1', 'b1', 'b2']);
    expect(told).toEqual([new Error('a 2')]);
  });

  it('takes what joins during a part of the same name for newer', async () => {
    const { join, parts, goOn, done } = scene();
    const { slow, end } = held(done);
    const first = join('a', slow);
    await join('a', parts('new'));
    end();
    await first;
    await goOn();
    expect(done).toEqual(['slow1', 'new1', 'new2', 'new3']);
  });

  it('ends with the part under way once it is closed', async () => {
    const { line, join, parts, goOn, done } = scene();
    await join('a', parts('a'));
    await line.close();
    await join('a', parts('b'));
    await goOn();
    expect(done).toEqual(['a1']);
  });

  it('leaves no timer once it is closed, and begins nothing that joins then', async () => {
    const { line, join, parts, done, resting } = scene();
    await join('a', parts('a', { count: 1 }));
    expect(resting()).toBe(true);
    await line.close();
    expect(resting()).toBe(false);
    const idle = scene();
    await idle.line.close();
    await idle.join('a', idle.parts('a'));
    expect([done, idle.done]).toEqual([['a1'], []]);
  });

  it('is closed when the part under way has ended', async () => {
    const { line, join, done } = scene();
    const { slow, end } = held(done);
    void join('a', slow);
    const closed = line.close().then(() => done.push('closed'));
    await new Promise(setImmediate);
    end();
    await closed;
    await new Promise(setImmediate);
    expect(done).toEqual(['slow1', 'closed']);
  });
});

/** Work of which the first part lasts until `end`. */
function held(done: string[]): { readonly slow: Parts; readonly end: () => void } {
  let end = (): void => {};
  const isEnded = new Promise<void>((resolve) => {
    end = resolve;
  });
  async function* parts(): Parts {
    await isEnded;
    done.push('slow1');
    yield;
    done.push('slow2');
  }
  return { slow: parts(), end };
}
