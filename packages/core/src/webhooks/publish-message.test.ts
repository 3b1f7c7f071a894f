import { describe, expect, it } from 'vitest';
import { systemClock } from '../ports/clock.ts';
import type { DeliveryRef } from '../storage/delivery-record.ts';
import type { NewMessage } from '../storage/new-message.ts';
import type { Outbox, PublishWithinOutcome } from '../storage/outbox.ts';
import { createPublishMessage, type Message } from './publish-message.ts';
import { policy } from './webhook-scene.test.support.ts';

const MESSAGE: Message = {
  id: 'msg_1',
  accountId: 1,
  event: 'Contact.Added',
  webhookId: null,
  idempotencyKey: null,
  data: { contactId: 'c_1' },
};
/** No two of them are the same. */
const BOUNDS = { ...policy, idempotencyMs: 3_600_000 };
const TX = { query: async () => ({ rows: [] }) };

function publishing(
  outbox?: (tx: unknown, message: NewMessage) => PublishWithinOutcome,
  expired: readonly DeliveryRef[] = [],
) {
  const calls: string[] = [];
  const stored: NewMessage[] = [];
  const unasked = () => Promise.reject(new Error('nobody asks for this'));
  const publishMessage = createPublishMessage({
    deliveries: {
      publish: async (message) => {
        calls.push('publish');
        stored.push(message);
        const { messageId } = message;
        return { outcome: 'published', messageId, deliveries: 1, scheduled: [], expired };
      },
      ...(outbox && {
        outbox: {
          publishWithin: async (tx, message) => {
            calls.push('publish within');
            return outbox(tx, message);
          },
          takeCommitted: unasked,
          countPending: unasked,
          lagMs: unasked,
          watch: () => unasked,
        } satisfies Outbox,
      }),
    },
    async handOver() {
      calls.push('hand over');
      await new Promise(setImmediate);
      calls.push('handed over');
    },
    backlog: {
      rescheduleHead: async ({ webhookId }) => void calls.push(`reschedule ${webhookId}`),
    },
    policy: BOUNDS,
    clock: systemClock,
    emit: () => {},
  });
  return { publishMessage, calls, stored };
}

describe('publishing within a transaction', () => {
  it('writes by that transaction alone, and hands nothing over', async () => {
    const written: unknown[] = [];
    const { publishMessage, calls } = publishing((tx, message) => {
      written.push(tx, JSON.parse(message.body).data);
      return { outcome: 'published', messageId: message.messageId, deliveries: 2 };
    });
    expect(await publishMessage(MESSAGE, TX)).toEqual({ id: 'msg_1', deliveries: 2 });
    expect(written).toEqual([TX, { contactId: 'c_1' }]);
    expect(calls).toEqual(['publish within']);
  });

  it('answers with the first where the event was published before', async () => {
    const { publishMessage } = publishing(() => ({
      outcome: 'duplicate',
      messageId: 'msg_0',
      deliveries: 1,
    }));
    expect(await publishMessage(MESSAGE, TX)).toEqual({ id: 'msg_0', deliveries: 1 });
  });

  it('is refused where the storage cannot, and publishes nothing instead', async () => {
    const { publishMessage, calls } = publishing();
    await expect(publishMessage(MESSAGE, TX)).rejects.toMatchObject({
      name: 'ConfigError',
      code: 'outbox_missing',
    });
    expect(calls).toEqual([]);
    await publishMessage(MESSAGE);
    expect(calls).toEqual(['publish', 'hand over', 'handed over']);
  });
});

it('publishes within the bounds of the policy', async () => {
  const { publishMessage, stored } = publishing();
  await publishMessage(MESSAGE);
  expect(stored).toMatchObject([
    { idempotencyMs: 3_600_000, retentionMs: 86_400_000, maxQueued: 2_000, rateMarginMs: 25 },
  ]);
});

it('is over when the engine has what was published', async () => {
  const { publishMessage, calls } = publishing();
  await publishMessage(MESSAGE);
  expect(calls).toEqual(['publish', 'hand over', 'handed over']);
});

it('has each backlog rescheduled of which the oldest expired by what was published', async () => {
  const expired = ['wh_1', 'wh_2'].map((webhookId) => {
    return { accountId: 1, webhookId, deliveryId: 'msg_0' };
  });
  const { publishMessage, calls } = publishing(undefined, expired);
  await publishMessage(MESSAGE);
  expect(calls).toEqual([
    'publish',
    'reschedule wh_1',
    'reschedule wh_2',
    'hand over',
    'handed over',
  ]);
});
