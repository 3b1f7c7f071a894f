import { expect, it } from 'vitest';
import type { SecurityEvent } from '../../ports/security-events.ts';
import type { DeliveryRef } from '../../storage/delivery-record.ts';
import { type SettlePublishedDeps, settlePublished } from './settle-published.ts';

const expiredOf = (webhookId: string, deliveryId: string): DeliveryRef => ({
  accountId: 1,
  webhookId,
  deliveryId,
});
const SCHEDULED = [{ ...expiredOf('wh_1', 'msg_1'), run: 1, delayMs: 0 }];
const EXPIRED = [
  expiredOf('wh_1', 'msg_a'),
  expiredOf('wh_2', 'msg_a'),
  expiredOf('wh_1', 'msg_b'),
];

function settling(enqueue: SettlePublishedDeps['enqueue'] = () => {}) {
  const events: SecurityEvent[] = [];
  const calls: string[] = [];
  const deps: SettlePublishedDeps = {
    emit: (event) => void events.push(event),
    enqueue(deliveries) {
      calls.push(`enqueue ${deliveries.length}`);
      return enqueue(deliveries);
    },
    rescheduleHead: ({ webhookId }) => void calls.push(`reschedule ${webhookId}`),
  };
  return { deps, events, calls };
}

it('emits each delivery that expired, and reschedules each backlog once', async () => {
  const { deps, events, calls } = settling();
  await settlePublished({ scheduled: SCHEDULED, expired: EXPIRED }, deps);
  expect(events).toEqual(
    EXPIRED.map((ref) => ({ type: 'delivery.dead', reason: 'expired', ...ref })),
  );
  expect(calls).toEqual(['reschedule wh_1', 'reschedule wh_2', 'enqueue 1']);
});

it('reschedules the backlogs even if the engine takes nothing, and rejects as it does', async () => {
  const { deps, calls } = settling(() => Promise.reject(new Error('no queue')));
  const settled = settlePublished({ scheduled: SCHEDULED, expired: EXPIRED }, deps);
  await expect(settled).rejects.toThrow('no queue');
  expect(calls).toEqual(['reschedule wh_1', 'reschedule wh_2', 'enqueue 1']);
});

it('asks nothing of the engine where nothing is scheduled, and makes no promise then', () => {
  const { deps, calls } = settling(async () => {});
  expect(settlePublished({ scheduled: [] }, deps)).toBeUndefined();
  expect(calls).toEqual([]);
  expect(settlePublished({ scheduled: SCHEDULED }, deps)).toBeInstanceOf(Promise);
});
