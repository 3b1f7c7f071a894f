import { beforeEach, describe, expect, it, vi } from 'vitest';
import { resolveSweep } from '../intake/sweep-options.ts';
import {
  type Script,
  type ScriptedDeps,
  scheduled,
  scriptedDeps,
  started,
} from '../runs/scripted-deps.test.support.ts';
import { InProcessQueue } from './in-process-queue.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** No sweep comes before an attempt does. */
const OPTIONS = { concurrency: 100, sweep: resolveSweep('sweep', { intervalMs: DAY_MS }) };

/** A store by which all is due so long after now. */
function dueIn(ms: number): NonNullable<Script['start']> {
  const dueAtMs = performance.now() + ms;
  return () => {
    const delayMs = dueAtMs - performance.now();
    return delayMs <= 0 ? started() : { outcome: 'deferred', delayMs, reason: 'rate', next: null };
  };
}

/** Whose calls of this name there were, in order. */
function callsOf({ calls }: ScriptedDeps, name: string): string[] {
  return calls
    .filter((call) => call.startsWith(`${name} `))
    .map((call) => call.slice(name.length + 1));
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('the queue in the process, of what is due in hours or days', () => {
  it('bears delays that no timer does', async () => {
    const deps = scriptedDeps({ start: dueIn(40 * DAY_MS) });
    const queue = new InProcessQueue(deps, OPTIONS);
    void queue.enqueue([scheduled('msg_1', 40 * DAY_MS)]);
    await vi.advanceTimersByTimeAsync(40 * DAY_MS - 1);
    expect(callsOf(deps, 'send')).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(callsOf(deps, 'send')).toEqual(['msg_1']);
    await queue.close();
  });

  it('asks once an hour for what is due later, however it came to wait', async () => {
    const due = 2.5 * HOUR_MS;
    const deps = scriptedDeps({ start: dueIn(due) });
    const queue = new InProcessQueue(deps, OPTIONS);
    void queue.enqueue([scheduled('late', due), scheduled('woken'), scheduled('changed', 1_000)]);
    void queue.reschedule([scheduled('changed', due)]);
    await vi.advanceTimersByTimeAsync(due);
    const asked = callsOf(deps, 'start');
    const timesOf = (id: string) => asked.filter((one) => one === id).length;
    expect(['late', 'woken', 'changed'].map(timesOf)).toEqual([3, 4, 3]);
    expect(callsOf(deps, 'send')).toEqual(['late', 'woken', 'changed']);
  });

  it('keeps nothing for longer than that of a webhook that was removed', async () => {
    const deps = scriptedDeps({ start: () => ({ outcome: 'over' }) });
    const queue = new InProcessQueue(deps, OPTIONS);
    const before = vi.getTimerCount();
    void queue.enqueue([scheduled('msg_1', 40 * DAY_MS)]);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(callsOf(deps, 'start')).toEqual(['msg_1']);
    // Nothing is waited for any more.
    expect(vi.getTimerCount()).toBe(before);
  });

  it('asks for a backlog that was handed over together bit by bit', async () => {
    const deps = scriptedDeps({ start: dueIn(40 * DAY_MS) });
    let drawn = 0;
    const random = () => (drawn++ % 100) / 100;
    const queue = new InProcessQueue({ ...deps, random }, OPTIONS);
    void queue.enqueue(Array.from({ length: 100 }, (_, nth) => scheduled(`m${nth}`, 40 * DAY_MS)));
    const asked: number[] = [];
    for (let nth = 0; nth < 4; nth += 1) {
      await vi.advanceTimersByTimeAsync(nth === 0 ? 0.8 * HOUR_MS - 1 : 0.1 * HOUR_MS);
      asked.push(callsOf(deps, 'start').length);
    }
    expect(asked).toEqual([0, 25, 50, 75]);
  });
});

describe('the queue in the process, of what is rescheduled', () => {
  it('gives it another delay, whether it waits here or in another process', async () => {
    const deps = scriptedDeps();
    const queue = new InProcessQueue(deps, OPTIONS);
    void queue.enqueue([scheduled('late', 60_000), scheduled('soon', 1_000)]);
    const [late, soon] = [scheduled('late', 500), scheduled('soon', 90_000)];
    void queue.reschedule([late, soon, scheduled('elsewhere', 700)]);
    const sent: string[] = [];
    for (const [ms, id] of [
      [500, 'late'],
      [200, 'elsewhere'],
      [89_300, 'soon'],
    ] as const) {
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(callsOf(deps, 'send')).toEqual(sent);
      await vi.advanceTimersByTimeAsync(1);
      sent.push(id);
      expect(callsOf(deps, 'send')).toEqual(sent);
    }
    await queue.close();
  });

  it('takes none of it once it is closed', async () => {
    const deps = scriptedDeps();
    const queue = new InProcessQueue(deps, OPTIONS);
    await queue.close();
    await queue.reschedule([scheduled('msg_1', 500)]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
