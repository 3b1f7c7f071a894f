import { beforeEach, describe, expect, it, vi } from 'vitest';
import { relayOver, settled } from './outbox-relay.test.support.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('what expired by what a relay has taken', () => {
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

  it('has backlogs rescheduled one after the other', async () => {
    const { rescheduled, seen, holdRescheduling } = relayOver(['msg_broken', 'msg_late']);
    const letGo = holdRescheduling();
    await settled();
    expect([seen.rescheduling, rescheduled]).toEqual([1, []]);
    letGo();
    await settled();
    expect([seen.mostRescheduling, rescheduled]).toEqual([1, ['wh_1']]);
  });
});
