import { AuthError, type SecurityEvent } from '@latchhook/core';
import { type PublishOutcome, StorageUnavailableError } from '@latchhook/core/storage';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { scheduled } from '../runs/scripted-deps.test.support.ts';
import { startOutboxRelay } from './outbox-relay.ts';

/** A relay over an outbox that holds so many messages, of which it gives so many at a time. */
function relayOver(waiting: string[], perCall = 100) {
  const enqueued: string[] = [];
  const events: SecurityEvent[] = [];
  const reported: unknown[] = [];
  const rescheduled: string[] = [];
  const seen = {
    asked: 0,
    limit: 0,
    isWatched: true,
    isUnavailable: false,
    isBroken: false,
    isQueueUnavailable: false,
  };
  let answering: Promise<unknown> = Promise.resolve();
  let rescheduling: Promise<unknown> = Promise.resolve();
  let notify = (): void => {};
  const relay = startOutboxRelay({
    outbox: {
      publishWithin: unasked,
      countPending: unasked,
      lagMs: unasked,
      async takeCommitted({ limit }) {
        seen.asked += 1;
        seen.limit = limit;
        await answering;
        // As the guarded store refuses, which has reported it.
        if (seen.isUnavailable) throw new AuthError('temporarily_unavailable', 'Come back later.');
        if (seen.isBroken) throw new TypeError('a bug');
        const taken = waiting.splice(0, perCall).map(published);
        return { taken, more: waiting.length > 0 };
      },
      watch(onCommit) {
        notify = onCommit;
        return async () => {
          seen.isWatched = false;
        };
      },
    },
    queue: {
      async enqueue(found) {
        // As a queue refuses, which has reported it.
        if (seen.isQueueUnavailable) throw new StorageUnavailableError('the queue is unavailable');
        enqueued.push(...found.map(({ deliveryId }) => deliveryId));
      },
    },
    emit: (event) => void events.push(event),
    report: (error) => void reported.push(error),
    async rescheduleHead({ webhookId }) {
      await rescheduling;
      if (webhookId === BROKEN) throw new TypeError('a bug');
      rescheduled.push(webhookId);
    },
    random: () => 0.5,
  });
  /** Has the store answer no call before this is called again. */
  function hold(): () => void {
    let letGo = (): void => {};
    answering = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    return () => letGo();
  }
  /** Has no backlog rescheduled before this is called again. */
  function holdRescheduling(): () => void {
    let letGo = (): void => {};
    rescheduling = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    return () => letGo();
  }
  const holds = { hold, holdRescheduling };
  return {
    ...relay,
    ...holds,
    enqueued,
    events,
    reported,
    rescheduled,
    seen,
    commit: () => notify(),
  };
}

function unasked(): Promise<never> {
  return Promise.reject(new Error('no relay asks for this'));
}

/** A webhook whose backlog cannot be rescheduled, by a bug. */
const BROKEN = 'wh_broken';

function published(messageId: string): PublishOutcome {
  const expired = messageId === 'msg_late' ? [scheduled('msg_0')] : [];
  if (messageId === 'msg_broken') expired.push({ ...scheduled('msg_0'), webhookId: BROKEN });
  const found = [scheduled(messageId)];
  return { outcome: 'published', messageId, deliveries: 1, scheduled: found, expired };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

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

  it('reports a bug in the rescheduling of one backlog, and goes on with the others', async () => {
    const { reported, rescheduled, enqueued } = relayOver(['msg_broken', 'msg_late']);
    await settled();
    expect(reported).toEqual([new TypeError('a bug')]);
    expect([rescheduled, enqueued]).toEqual([['wh_1'], ['msg_broken', 'msg_late']]);
  });

  it('emits what expired by it', async () => {
    const { events } = relayOver(['msg_late']);
    await settled();
    expect(events).toEqual([
      {
        type: 'delivery.dead',
        reason: 'expired',
        accountId: 1,
        webhookId: 'wh_1',
        deliveryId: 'msg_0',
      },
    ]);
  });

  it('has a backlog rescheduled of which something expired, once for all that was taken together', async () => {
    const { rescheduled, enqueued } = relayOver(['msg_1', 'msg_late', 'msg_late']);
    await settled();
    expect(enqueued).toHaveLength(3);
    expect(rescheduled).toEqual(['wh_1']);
  });

  it('has a backlog rescheduled of which something expired, even if the queue takes nothing', async () => {
    const { rescheduled, reported, seen } = relayOver(['msg_late', 'msg_1'], 1);
    seen.isQueueUnavailable = true;
    await settled();
    expect(rescheduled).toEqual(['wh_1']);
    // Until the next look the rest is kept in the outbox, not left to a sweep.
    expect([seen.asked, reported]).toEqual([1, []]);
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
