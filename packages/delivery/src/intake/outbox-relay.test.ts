import { beforeEach, describe, expect, it, vi } from 'vitest';
import { relayOver, settled } from './outbox-relay.test.support.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('the relay of an outbox', () => {
  it('begins with what committed before it was there', async () => {
    const { enqueued } = relayOver(['msg_1', 'msg_2', 'msg_3'], 2);
    await settled();
    expect(enqueued).toEqual(['msg_1', 'msg_2', 'msg_3']);
  });

  it('takes what commits as soon as it is notified', async () => {
    const waiting: string[] = [];
    const { enqueued, commit } = relayOver(waiting);
    await settled();
    waiting.push('msg_1');
    commit();
    await settled();
    expect(enqueued).toEqual(['msg_1']);
  });

  it('looks once more where it is notified while it looks', async () => {
    const { seen, commit } = relayOver([]);
    for (let nth = 0; nth < 10; nth += 1) commit();
    await settled();
    expect(seen.asked).toBe(2);
  });

  it('misses nothing that it is notified of, however soon after a look that found nothing', async () => {
    for (let microtasks = 0; microtasks < 20; microtasks += 1) {
      const waiting: string[] = [];
      const { enqueued, commit, stop } = relayOver(waiting);
      for (let nth = 0; nth < microtasks; nth += 1) await Promise.resolve();
      waiting.push('msg_1');
      commit();
      await settled();
      expect([microtasks, enqueued]).toEqual([microtasks, ['msg_1']]);
      await stop();
    }
  });

  it('finds within seconds what nobody notified it of', async () => {
    const waiting: string[] = [];
    const { enqueued, seen } = relayOver(waiting);
    await settled();
    waiting.push('msg_1');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(enqueued).toEqual(['msg_1']);
    expect(seen.asked).toBe(2);
  });

  it('does not ask again at once where it was notified during a call that failed', async () => {
    const { seen, hold, commit } = relayOver([]);
    await settled();
    const letGo = hold();
    seen.isUnavailable = true;
    for (let nth = 0; nth < 3; nth += 1) commit();
    letGo();
    await settled();
    expect(seen.asked).toBe(2);
  });

  it('goes on after a fault, no faster than before', async () => {
    const { enqueued, reported, seen } = relayOver(['msg_1']);
    seen.isUnavailable = true;
    await vi.advanceTimersByTimeAsync(20_000);
    seen.isUnavailable = false;
    expect(seen.asked).toBeLessThanOrEqual(5);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(enqueued).toEqual(['msg_1']);
    expect(reported).toEqual([]);
  });

  it('reports a bug, which nobody else has reported', async () => {
    const { reported, seen, commit } = relayOver([]);
    await settled();
    seen.isBroken = true;
    commit();
    await settled();
    expect(reported).toEqual([new TypeError('a bug')]);
  });

  it('ends with the pending call, which it waits for', async () => {
    const { stop, seen, hold, commit, enqueued } = relayOver([], 2);
    await settled();
    const letGo = hold();
    commit();
    let isOver = false;
    const stopped = stop().then(() => {
      isOver = true;
    });
    await settled();
    expect(isOver).toBe(false);
    letGo();
    await stopped;
    expect([seen.asked, enqueued]).toEqual([2, []]);
  });

  it.each([false, true])(
    'ends with the rescheduling, which it waits for, even if the queue takes nothing: %s',
    async (isQueueUnavailable) => {
      const { stop, seen, holdRescheduling, rescheduled } = relayOver(['msg_late']);
      seen.isQueueUnavailable = isQueueUnavailable;
      const letGo = holdRescheduling();
      await settled();
      const stopped = stop().then(() => rescheduled.slice());
      await settled();
      letGo();
      expect(await stopped).toEqual(['wh_1']);
    },
  );

  it('leaves what is more to the next process where it is ended meanwhile', async () => {
    const { stop, seen, hold, enqueued } = relayOver(['msg_1', 'msg_2', 'msg_3'], 2);
    hold();
    void stop();
    await settled();
    expect([seen.asked, seen.limit, enqueued]).toEqual([1, 100, ['msg_1', 'msg_2']]);
  });

  it('ends, and leaves neither timer nor watch behind', async () => {
    const { stop, seen, commit } = relayOver([]);
    await settled();
    await stop();
    commit();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen).toMatchObject({ asked: 1, isWatched: false });
    expect(vi.getTimerCount()).toBe(0);
  });
});
