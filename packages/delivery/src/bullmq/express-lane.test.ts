import { AsyncLocalStorage } from 'node:async_hooks';
import type { ScheduledDelivery } from '@latchhook/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  answered,
  hangs,
  heldReceiver,
  type Script,
  type ScriptedParts,
  scheduled,
  scriptedParts,
  started,
} from '../runs/scripted-parts.test.support.ts';
import { ExpressLane } from './express-lane.ts';

interface LaneScene {
  readonly parts: ScriptedParts;
  readonly lane: ExpressLane;
  readonly putBack: ScheduledDelivery[];
}

function laneOf(width: number, script: Script = {}): LaneScene {
  const parts = scriptedParts(script);
  const putBack: ScheduledDelivery[] = [];
  const lane = new ExpressLane(parts, width, async (left) => void putBack.push(...left));
  return { parts, lane, putBack };
}

describe('the express lane', () => {
  it('sends what is due, and puts nothing back that was delivered', async () => {
    const { lane, parts, putBack } = laneOf(1);
    expect(lane.take(scheduled('msg_1'))).toBe(true);
    await lane.close();
    expect(parts.calls).toEqual(['start msg_1', 'send msg_1', 'finish msg_1']);
    expect(putBack).toEqual([]);
  });

  it('leaves to the queue what is due later', () => {
    const { lane } = laneOf(1);
    expect(lane.take(scheduled('msg_1', 1))).toBe(false);
  });

  it('begins what waits for room in order, as attempts end', async () => {
    const { send, ends } = heldReceiver();
    const { lane, parts } = laneOf(1, { send });
    for (const id of ['msg_1', 'msg_2', 'msg_3']) expect(lane.take(scheduled(id))).toBe(true);
    for (const id of ['msg_1', 'msg_2', 'msg_3']) {
      await expect.poll(() => parts.calls.at(-1)).toBe(`send ${id}`);
      ends.at(-1)?.();
    }
    await lane.close();
    expect(parts.calls.filter((call) => call.startsWith('finish'))).toHaveLength(3);
  });

  it('takes a run once, however often a sweep finds it', async () => {
    const { send, ends } = heldReceiver();
    const { lane, parts, putBack } = laneOf(1, { send });
    for (const _ of ['published', 'swept', 'swept again']) {
      for (const id of ['msg_1', 'msg_2']) expect(lane.take(scheduled(id))).toBe(true);
    }
    for (const id of ['msg_1', 'msg_2']) {
      await expect.poll(() => parts.calls.at(-1)).toBe(`send ${id}`);
      ends.at(-1)?.();
    }
    await lane.close();
    expect(parts.calls.filter((call) => call.startsWith('start'))).toHaveLength(2);
    expect(putBack).toEqual([]);
  });

  it('takes a run again that has ended', async () => {
    const { lane, parts } = laneOf(1);
    const starts = () => parts.calls.filter((call) => call === 'start msg_1').length;
    expect(lane.take(scheduled('msg_1'))).toBe(true);
    await expect
      .poll(() => {
        // Taken in vain until the first has ended.
        lane.take(scheduled('msg_1'));
        return starts();
      })
      .toBe(2);
    await lane.close();
  });

  it.each([
    ['for room', 1, 1],
    ['for a place of their account', 20_000, 10],
  ])('lets ten thousand wait %s, and leaves more to the queue', (_, width, underWay) => {
    const { lane } = laneOf(width, { send: hangs, places: 30 });
    const taken = Array.from({ length: 10_020 }, (_, nth) => lane.take(scheduled(`msg_${nth}`)));
    expect(taken.lastIndexOf(true)).toBe(underWay + 10_000 - 1);
  });

  it('lets what finds no place of its account wait without taking room, and leaves it to the queue', async () => {
    const { lane, parts, putBack } = laneOf(11, { send: hangs, places: 30 });
    const ofOne = Array.from({ length: 12 }, (_, nth) => scheduled(`a${nth}`));
    const other = { ...scheduled('b'), accountId: 2 };
    for (const delivery of [...ofOne, other]) expect(lane.take(delivery)).toBe(true);
    await expect.poll(() => parts.calls.at(-1)).toBe('send b');
    void lane.close();
    await expect.poll(() => putBack).toEqual(ofOne.slice(10));
  });

  it('begins what follows an attempt though all places are taken, and twice as many at most', () => {
    const { lane, parts } = laneOf(1, { send: hangs });
    expect(lane.take(scheduled('msg_1'))).toBe(true);
    expect(lane.follow(scheduled('msg_2'))).toBe(true);
    expect(lane.follow(scheduled('msg_3'))).toBe(false);
    // It is here, and a sweep brings it in vain.
    expect(lane.take(scheduled('msg_2'))).toBe(true);
    expect(lane.take(scheduled('msg_3'))).toBe(true);
    expect(parts.calls.filter((call) => call.startsWith('start'))).toHaveLength(2);
  });

  it('begins once what waits for room and follows an attempt', async () => {
    const { send, ends } = heldReceiver();
    const { lane, parts } = laneOf(1, { send });
    for (const id of ['msg_1', 'msg_2', 'msg_3']) lane.take(scheduled(id));
    expect(lane.follow(scheduled('msg_2'))).toBe(true);
    await expect.poll(() => ends).toHaveLength(2);
    for (const end of ends) end();
    await expect.poll(() => parts.calls).toContain('start msg_3');
    void lane.close();
    expect(parts.calls.filter((call) => call === 'start msg_2')).toHaveLength(1);
  });

  it('knows what waits here, for room or for a place of its account', async () => {
    const { lane } = laneOf(11, { send: hangs, places: 30 });
    const ofOne = Array.from({ length: 12 }, (_, nth) => scheduled(`a${nth}`));
    const others = ['b', 'c'].map((id) => ({ ...scheduled(id), accountId: 2 }));
    for (const delivery of [...ofOne, ...others]) lane.take(delivery);
    const waiting = [...ofOne, ...others, scheduled('d')].filter((one) => lane.isWaiting(one));
    expect(waiting.map(({ deliveryId }) => deliveryId)).toEqual(['a10', 'a11', 'c']);
    void lane.close();
    expect(waiting.filter((one) => lane.isWaiting(one))).toEqual([]);
  });

  it('leaves to the queue what still waits when it closes', async () => {
    const { send, ends } = heldReceiver();
    const { lane, parts, putBack } = laneOf(1, { send });
    lane.take(scheduled('msg_1'));
    lane.take(scheduled('msg_2'));
    await expect.poll(() => parts.calls).toContain('send msg_1');
    const closed = lane.close();
    ends.at(0)?.();
    await closed;
    expect(putBack).toEqual([scheduled('msg_2')]);
  });

  it('leaves it to the queue when the worker has ended, which would begin it', async () => {
    const { lane, putBack } = laneOf(1, { send: () => answered(200) });
    for (const id of ['msg_1', 'msg_2']) lane.take(scheduled(id));
    let end = (): void => {};
    const worker = new Promise<void>((resolve) => {
      end = resolve;
    });
    const closed = lane.close(worker);
    await new Promise(setImmediate);
    expect(putBack).toEqual([]);
    end();
    await closed;
    expect(putBack).toEqual([scheduled('msg_2')]);
  });

  it('puts back what is to be tried again, with its delay', async () => {
    const { lane, putBack } = laneOf(1, {
      start: () => ({ outcome: 'deferred', delayMs: 1_234, by: 'rate', next: null }),
    });
    lane.take(scheduled('msg_1'));
    await lane.close();
    expect(putBack).toEqual([scheduled('msg_1', 1_234)]);
  });

  it('goes on where the queue does not take back', async () => {
    const parts = scriptedParts({ send: () => answered(500) });
    const lane = new ExpressLane(parts, 1, () => Promise.reject(new Error('the queue is away')));
    lane.take(scheduled('msg_1'));
    lane.take(scheduled('msg_2'));
    await expect.poll(() => parts.calls).toContain('finish msg_2');
    await lane.close();
  });

  it('asks again by itself for what the queue does not take back, when its time has come', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const delays = [5_000, 101, 0];
    const parts = scriptedParts({
      start: () => {
        const delayMs = delays.shift() ?? 0;
        return delayMs > 0 ? { outcome: 'deferred', delayMs, by: 'rate', next: null } : started();
      },
    });
    const lane = new ExpressLane(parts, 1, () => Promise.reject(new Error('the queue is away')));
    lane.take(scheduled('msg_1'));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(parts.calls).toEqual(['start msg_1']);
    await vi.advanceTimersByTimeAsync(1);
    expect(parts.calls.filter((call) => call.startsWith('start'))).toHaveLength(2);
    // What is to be asked for sooner is left alone for a second.
    await vi.advanceTimersByTimeAsync(999);
    expect(parts.calls).not.toContain('finish msg_1');
    await vi.advanceTimersByTimeAsync(1);
    expect(parts.calls).toContain('finish msg_1');
    await lane.close();
  });

  it('asks for nothing more that the queue did not take back, once it is closed', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const parts = scriptedParts({
      start: () => ({ outcome: 'deferred', delayMs: 5_000, by: 'rate', next: null }),
    });
    const lane = new ExpressLane(parts, 1, () => Promise.reject(new Error('the queue is away')));
    lane.take(scheduled('msg_1'));
    await vi.advanceTimersByTimeAsync(100);
    await lane.close();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(parts.calls).toEqual(['start msg_1']);
  });

  it('keeps nothing that the queue does not take as it closes', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const parts = scriptedParts({
      send: () => new Promise((resolve) => void setTimeout(() => resolve(answered(200)), 50)),
    });
    const lane = new ExpressLane(parts, 1, () => Promise.reject(new Error('the queue is away')));
    for (const id of ['msg_1', 'msg_2']) lane.take(scheduled(id));
    const closed = lane.close();
    await vi.advanceTimersByTimeAsync(50);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('asks for what it keeps within about an hour, and once, however often it came back', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const parts = scriptedParts({
      start: () => ({ outcome: 'deferred', delayMs: 86_400_000, by: 'rate', next: null }),
    });
    const lane = new ExpressLane(parts, 1, () => Promise.reject(new Error('the queue is away')));
    for (const _ of ['published', 'swept']) {
      lane.take(scheduled('msg_1'));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(parts.calls).toHaveLength(3);
    await lane.close();
  });

  it('sends nothing in the context of a request that published', async () => {
    const request = new AsyncLocalStorage<string>();
    const contexts: unknown[] = [];
    const { lane } = laneOf(1, {
      send: () => {
        contexts.push(request.getStore());
        return answered(200);
      },
    });
    // The second begins as the first ends.
    for (const id of ['msg_1', 'msg_2']) request.run(`of ${id}`, () => lane.take(scheduled(id)));
    await expect.poll(() => contexts).toHaveLength(2);
    await lane.close();
    expect(contexts).toEqual([undefined, undefined]);
  });

  it('takes nothing once it is closed', async () => {
    const { lane } = laneOf(1);
    await lane.close();
    expect(lane.take(scheduled('msg_1'))).toBe(false);
  });

  it('begins nothing that follows an attempt once it is closed', async () => {
    const { lane, parts } = laneOf(1);
    await lane.close();
    expect(lane.follow(scheduled('msg_1'))).toBe(false);
    expect(parts.calls).toEqual([]);
  });
});
