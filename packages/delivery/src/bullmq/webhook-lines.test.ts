import { AsyncLocalStorage } from 'node:async_hooks';
import { systemClock } from '@latchhook/core';
import { monotonicMs, systemTimers, type Timers } from '@latchhook/core/delivery';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Waiter, WebhookLines } from './webhook-lines.ts';

interface Named extends Waiter {
  readonly name: string;
}

/** Lines with room for two, and what has begun, in order. */
function linesOfTwo(timers = systemTimers) {
  const begun: string[] = [];
  const lines = new WebhookLines<Named>({
    maxInFlight: 2,
    clock: systemClock,
    timers,
    begin: ({ name }) => void begun.push(name),
  });
  const join = (name: string, delayMs = 0, webhookId = 'wh_1'): Named => {
    const dueAtMs = delayMs === 0 ? 0 : monotonicMs(systemClock) + delayMs;
    const waiter: Named = { name, webhookId, dueAtMs, turn: 'new' };
    lines.join(waiter);
    return waiter;
  };
  /** Has one enter beside the line. */
  const enter = (name: string): void =>
    lines.enter({ name, webhookId: 'wh_1', dueAtMs: 0, turn: 'new' });
  return { lines, begun, join, enter };
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('room', () => {
  it('begins as many of a webhook as there is room for, and the next in order as one is released', () => {
    const { lines, begun, join } = linesOfTwo();
    for (const name of ['a', 'b', 'c', 'd']) join(name);
    expect(begun).toEqual(['a', 'b']);
    lines.release('wh_1');
    expect(begun).toEqual(['a', 'b', 'c']);
    lines.release('wh_1');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('gives each webhook room of its own', () => {
    const { begun, join } = linesOfTwo();
    for (const name of ['a', 'b', 'c']) join(name);
    join('d', 0, 'wh_2');
    expect(begun).toEqual(['a', 'b', 'd']);
  });

  it('begins nobody in turn who has entered out of the line', () => {
    const { lines, begun, join } = linesOfTwo();
    const [, , c] = ['a', 'b', 'c', 'd'].map((name) => join(name));
    if (c) lines.enter(c);
    for (let nth = 0; nth < 2; nth += 1) lines.release('wh_1');
    expect(begun).toEqual(['a', 'b', 'd']);
  });

  it('has nobody wait for the time of one who has entered out of the line', () => {
    const { lines, begun, join } = linesOfTwo();
    const first = join('a', 1_000);
    join('b');
    lines.enter(first);
    lines.release('wh_1');
    expect(begun).toEqual(['b']);
  });

  it('lets others enter beside the line without room, and begins nobody until there is some again', () => {
    const { lines, begun, join, enter } = linesOfTwo();
    for (const name of ['a', 'b', 'c']) join(name);
    enter('woken');
    lines.release('wh_1');
    expect(begun).toEqual(['a', 'b']);
    lines.release('wh_1');
    expect(begun).toEqual(['a', 'b', 'c']);
  });
});

describe('time', () => {
  it('begins nobody before it is due', () => {
    const { begun, join } = linesOfTwo();
    join('a', 1_000);
    vi.advanceTimersByTime(999);
    expect(begun).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(begun).toEqual(['a']);
  });

  it('keeps the order in which they came, though a later one is due', () => {
    const { begun, join } = linesOfTwo();
    join('a', 1_000);
    join('b');
    expect(begun).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(begun).toEqual(['a', 'b']);
  });

  it('begins who is moved to now', () => {
    const { lines, begun, join } = linesOfTwo();
    const a = join('a', 1_000);
    const b = join('b', 1_500);
    lines.move(b, 0);
    expect(begun).toEqual([]);
    lines.move(a, 0);
    expect(begun).toEqual(['a', 'b']);
  });

  it('begins who is moved to a later time by then', () => {
    const { lines, begun, join } = linesOfTwo();
    lines.move(join('a', 1_000), monotonicMs(systemClock) + 1_500);
    vi.advanceTimersByTime(1_499);
    expect(begun).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(begun).toEqual(['a']);
  });
});

describe('a webhook that does not go on', () => {
  it('has all that are due begin after four seconds in which none was released', () => {
    const { begun, join } = linesOfTwo();
    for (const name of ['a', 'b', 'c', 'd']) join(name);
    join('later', 5_000);
    vi.advanceTimersByTime(3_999);
    expect(begun).toEqual(['a', 'b']);
    vi.advanceTimersByTime(1);
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is looked at every four seconds, by the pace of these alone', () => {
    const { lines, begun, join } = linesOfTwo();
    for (let nth = 0; nth < 10; nth += 1) join(`${nth}`);
    join('later', 9_000);
    for (let nth = 0; nth < 2; nth += 1) lines.release('wh_1');
    vi.advanceTimersByTime(4_000);
    // Seven wait, and at this pace fourteen would begin within 28 seconds.
    expect(begun).toHaveLength(4);
    vi.advanceTimersByTime(4_000);
    expect(begun).toHaveLength(10);
    vi.advanceTimersByTime(4_000);
    expect(begun.at(-1)).toBe('later');
  });

  it('has them begin in parts, so that others can go on too', () => {
    const { begun, join } = linesOfTwo();
    for (let nth = 0; nth < 2 + 1_100; nth += 1) join(`${nth}`);
    vi.advanceTimersByTime(4_000);
    expect(begun).toHaveLength(2 + 500);
    vi.advanceTimersByTime(1);
    expect(begun).toHaveLength(2 + 1_000);
    vi.advanceTimersByTime(1);
    expect(begun).toHaveLength(2 + 1_100);
  });

  it('has them wait for as long as all would have begun within 28 seconds, at the last pace', () => {
    const { lines, begun, join } = linesOfTwo();
    for (let nth = 0; nth < 2 + 5 * 7; nth += 1) join(`${nth}`);
    for (let nth = 0; nth < 4; nth += 1) lines.release('wh_1');
    vi.advanceTimersByTime(4_000);
    // 31 wait, and four in four seconds are too few.
    expect(begun).toHaveLength(2 + 35);

    for (let nth = 0; nth < 33; nth += 1) lines.release('wh_1');
    for (let nth = 0; nth < 2 + 4 + 28; nth += 1) join(`${nth}`);
    const before = begun.length;
    for (let nth = 0; nth < 4; nth += 1) lines.release('wh_1');
    vi.advanceTimersByTime(4_000);
    expect(begun).toHaveLength(before + 4);
  });
});

describe('what is over', () => {
  it('goes on in no context of a request that had one wait', () => {
    const request = new AsyncLocalStorage<string>();
    const contexts: unknown[] = [];
    const timers: Timers = {
      after(delayMs, run) {
        contexts.push(request.getStore());
        return systemTimers.after(delayMs, run);
      },
    };
    const { join } = linesOfTwo(timers);
    request.run('of one that is due later', () => join('a', 1_000));
    expect(contexts).toEqual([undefined, undefined]);
  });

  it('sets no timer that outlives who waited', () => {
    const { lines, join } = linesOfTwo();
    for (const name of ['a', 'b', 'c']) join(name);
    lines.enter(join('woken', 1_000));
    for (let nth = 0; nth < 4; nth += 1) lines.release('wh_1');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begins nobody after it was closed', () => {
    const { lines, begun, join } = linesOfTwo();
    for (const name of ['a', 'b', 'c']) join(name);
    join('due later', 1_000, 'wh_2');
    lines.close();
    expect(vi.getTimerCount()).toBe(0);
    lines.release('wh_1');
    vi.advanceTimersByTime(10_000);
    expect(begun).toEqual(['a', 'b']);
  });
});
