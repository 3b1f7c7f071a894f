import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  answered,
  hangs,
  heldReceiver,
  scheduled,
  scriptedDeps,
} from '../runs/scripted-deps.test.support.ts';
import { storedDeps } from '../runs/stored-deliveries.test.support.ts';
import {
  ofOtherWebhook,
  ofOwnWebhook,
  runsOf,
  runsOver,
  settled,
} from './local-runs.test.support.ts';
import { LocalRuns } from './local-runs.ts';

describe('runs of this process', () => {
  it('sends what is due, and puts nothing back that was delivered', async () => {
    const { runs, deps, putBack } = runsOver(await storedDeps(['msg_1']), 1);
    expect(runs.take(scheduled('msg_1'))).toBe(true);
    await runs.close();
    expect(deps.calls).toEqual(['send msg_1']);
    expect(await deps.recordOf('msg_1')).toMatchObject({ state: 'delivered' });
    expect(putBack).toEqual([]);
  });

  it('leaves to the queue what is due in more than two seconds', () => {
    const { runs } = runsOf(1);
    expect(runs.take(scheduled('msg_1', 2_001))).toBe(false);
  });

  it('asks for no more of a webhook than may be in flight, and lets those of others pass', async () => {
    const { send, ends } = heldReceiver();
    const { runs, deps } = runsOf(50, { send });
    const ids = Array.from({ length: 12 }, (_, nth) => `a${nth}`);
    for (const id of ids) runs.take(scheduled(id));
    runs.take(ofOtherWebhook('b'));
    const starts = () => deps.calls.filter((call) => call.startsWith('start'));
    await settled();
    expect(starts()).toEqual([...ids.slice(0, 10), 'b'].map((id) => `start ${id}`));
    ends[0]?.();
    await settled();
    expect(starts().at(-1)).toBe('start a10');
    void runs.close();
  });

  it('asks for what was lost at once, whatever waits in line', async () => {
    const { runs, deps } = runsOf(50, { send: hangs });
    for (let nth = 0; nth < 20; nth += 1) runs.take(scheduled(`a${nth}`));
    runs.take(ofOtherWebhook('not due', 1_000));
    for (const lost of [scheduled('b'), ofOtherWebhook('c')]) {
      expect(runs.takeBesideLine(lost)).toBe(true);
      expect(runs.takeBesideLine(lost)).toBe(true);
    }
    await settled();
    const starts = deps.calls.filter((call) => call.startsWith('start'));
    expect(starts.slice(10)).toEqual(['start b', 'start c']);
    void runs.close();
  });

  it('has the next of a webhook ask while one that may not start is put back', async () => {
    const deps = scriptedDeps({
      start: () => ({ outcome: 'deferred', delayMs: 5_000, reason: 'rate', next: null }),
    });
    const runs = new LocalRuns(deps, 50, hangs);
    for (let nth = 0; nth < 11; nth += 1) runs.take(scheduled(`msg_${nth}`));
    await settled();
    expect(deps.calls).toContain('start msg_10');
  });

  it('begins what waits for room in order, as attempts end', async () => {
    const { send, ends } = heldReceiver();
    const ids = ['msg_1', 'msg_2', 'msg_3'];
    const { runs, deps } = runsOver(await storedDeps(ids, { send }), 1);
    for (const id of ids) expect(runs.take(scheduled(id))).toBe(true);
    for (const nth of ids.keys()) {
      await settled();
      expect(deps.calls).toEqual(ids.slice(0, nth + 1).map((id) => `send ${id}`));
      ends[nth]?.();
    }
    await runs.close();
    for (const id of ids) expect(await deps.recordOf(id)).toMatchObject({ state: 'delivered' });
  });

  it('has the next ask to start as soon as an attempt was sent, with the end of that', async () => {
    const { runs, deps } = runsOf(1, { finish: hangs, send: () => answered(200) });
    for (const id of ['msg_1', 'msg_2', 'msg_3']) runs.take(scheduled(id));
    await settled();
    // The third has to wait: one that is being sent, and one whose end is being stored, are as many as may be.
    const first = ['start msg_1', 'send msg_1', 'finish msg_1'];
    expect(deps.calls).toEqual([...first, 'start msg_2', 'send msg_2', 'finish msg_2']);
  });

  it('takes a run once, however often a sweep finds it', async () => {
    const { send, ends } = heldReceiver();
    const { runs, deps, putBack } = runsOf(1, { send });
    for (const _ of ['published', 'swept', 'swept again']) {
      for (const id of ['msg_1', 'msg_2']) expect(runs.take(scheduled(id))).toBe(true);
    }
    for (const id of ['msg_1', 'msg_2']) {
      await settled();
      expect(deps.calls.at(-1)).toBe(`send ${id}`);
      ends.at(-1)?.();
    }
    await runs.close();
    expect(deps.calls.filter((call) => call.startsWith('start'))).toHaveLength(2);
    expect(putBack).toEqual([]);
  });

  it('takes a run again that has ended', async () => {
    const { runs, deps } = runsOf(1);
    const starts = () => deps.calls.filter((call) => call === 'start msg_1').length;
    expect(runs.take(scheduled('msg_1'))).toBe(true);
    // In vain, as the first has not ended.
    runs.take(scheduled('msg_1'));
    await settled();
    expect(starts()).toBe(1);
    runs.take(scheduled('msg_1'));
    await runs.close();
    expect(starts()).toBe(2);
  });

  it.each([
    ['in line', 200_000, 10, scheduled],
    ['for room', 1, 1, ofOwnWebhook],
    ['for a slot of their account', 200_000, 10, ofOwnWebhook],
  ])('lets a hundred thousand wait %s, and leaves more to the queue', (_, width, running, make) => {
    const { runs } = runsOf(width, { send: hangs, slots: 30 });
    const taken = Array.from({ length: 100_020 }, (_, nth) => runs.take(make(`msg_${nth}`)));
    expect(taken.lastIndexOf(true)).toBe(running + 100_000 - 1);
  });

  it('lets what finds no slot of its account wait without taking room, and leaves it to the queue', async () => {
    const { runs, deps, putBack } = runsOf(11, { send: hangs, slots: 30 });
    const ofOne = Array.from({ length: 12 }, (_, nth) => ofOwnWebhook(`a${nth}`));
    for (const delivery of [...ofOne, ofOtherWebhook('b')]) expect(runs.take(delivery)).toBe(true);
    await settled();
    expect(deps.calls.at(-1)).toBe('send b');
    void runs.close();
    await settled();
    expect(putBack).toEqual(ofOne.slice(10));
  });

  it('knows what waits here, in line, for room or for a slot of its account', async () => {
    const { runs } = runsOf(11, { send: hangs, slots: 22 });
    const inLine = Array.from({ length: 11 }, (_, nth) => scheduled(`a${nth}`));
    const forSlot = { ...scheduled('b'), webhookId: 'wh_3' };
    const forRoom = ['c', 'd'].map((id) => ofOtherWebhook(id));
    const all = [...inLine, forSlot, ...forRoom];
    for (const delivery of all) runs.take(delivery);
    const waiting = [...all, scheduled('e')].filter((one) => runs.reschedule(one));
    expect(waiting.map(({ deliveryId }) => deliveryId)).toEqual(['a10', 'b', 'd']);
    void runs.close();
    expect(waiting.filter((one) => runs.reschedule(one))).toEqual([]);
  });

  it('leaves to the queue what still waits when it closes', async () => {
    const { send, ends } = heldReceiver();
    const { runs, deps, putBack } = runsOf(1, { send });
    runs.take(scheduled('msg_1'));
    runs.take(scheduled('msg_2'));
    await settled();
    expect(deps.calls).toContain('send msg_1');
    const closed = runs.close();
    ends.at(0)?.();
    await closed;
    expect(putBack).toEqual([scheduled('msg_2')]);
  });

  it('leaves to the queue what is not due when it closes, with the delay that is left', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { runs, deps, putBack } = runsOf(1);
    const delays = { msg_1: 2_000, msg_2: 2_000, msg_3: 500 };
    for (const [id, delayMs] of Object.entries(delays)) runs.take(scheduled(id, delayMs));
    vi.advanceTimersByTime(600);
    runs.reschedule(scheduled('msg_2', 1_700));
    await runs.close();
    expect(deps.calls).toEqual([]);
    expect(putBack.map(({ delayMs }) => delayMs)).toEqual([1_400, 1_700, 0]);
  });

  it('leaves what waits to the queue in parts, and no more once that has refused one', async () => {
    const parts: number[] = [];
    let isRefusing = false;
    const runs = new LocalRuns(scriptedDeps({ send: hangs }), 1, async (left) => {
      parts.push(left.length);
      if (isRefusing) throw new Error('the queue is unavailable');
      isRefusing = true;
    });
    for (let nth = 0; nth < 3_000; nth += 1) runs.take(scheduled(`msg_${nth}`));
    void runs.close();
    await settled();
    expect(parts).toEqual([1_000, 1_000]);
  });

  it('leaves it to the queue when the worker has ended, which would begin it', async () => {
    const { runs, putBack } = runsOf(1, { send: () => answered(200) });
    for (const id of ['msg_1', 'msg_2']) runs.take(scheduled(id));
    let end = (): void => {};
    const worker = new Promise<void>((resolve) => {
      end = resolve;
    });
    const closed = runs.close(worker);
    await new Promise(setImmediate);
    expect(putBack).toEqual([]);
    end();
    await closed;
    expect(putBack).toEqual([scheduled('msg_2')]);
  });

  it('puts back what is to be tried again, with its delay', async () => {
    const { runs, putBack } = runsOf(1, {
      start: () => ({ outcome: 'deferred', delayMs: 1_234, reason: 'rate', next: null }),
    });
    runs.take(scheduled('msg_1'));
    await runs.close();
    expect(putBack).toEqual([scheduled('msg_1', 1_234)]);
  });

  it('sends nothing in the context of a request that published', async () => {
    const request = new AsyncLocalStorage<string>();
    const contexts: unknown[] = [];
    const { runs } = runsOf(1, {
      send: () => {
        contexts.push(request.getStore());
        return answered(200);
      },
    });
    // The second begins as the first ends.
    for (const id of ['msg_1', 'msg_2']) request.run(`of ${id}`, () => runs.take(scheduled(id)));
    await settled();
    await runs.close();
    expect(contexts).toEqual([undefined, undefined]);
  });

  it('takes nothing once it is closed', async () => {
    const { runs } = runsOf(1);
    await runs.close();
    expect(runs.take(scheduled('msg_1'))).toBe(false);
  });
});
