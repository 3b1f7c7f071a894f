import { describe, expect, it } from 'vitest';
import { systemClock } from '../../ports/clock.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import type { DeliveryRef } from '../../storage/delivery-record.ts';
import type { PublishedMessage } from '../../storage/delivery-store.ts';
import type { NewMessage } from '../../storage/new-message.ts';
import type { PublishWithinOutcome } from '../../storage/outbox.ts';
import { policy } from '../registry/webhook-fixture.test.support.ts';
import { type CheckedEvent, createPublisher } from './publisher.ts';

const EVENT: CheckedEvent = {
  id: 'msg_1',
  accountId: 1,
  event: 'Contact.Added',
  idempotencyKey: null,
  data: { contactId: 'c_1' },
};
/** A policy in which no two limits are the same. */
const BOUNDS = { ...policy, idempotencyMs: 3_600_000 };
const TX = { query: async () => ({ rows: [] }) };
const PING = { accountId: 1, webhookId: 'wh_1' };

interface Fixture {
  readonly outbox?: (tx: unknown, message: NewMessage) => PublishWithinOutcome;
  readonly expired?: readonly DeliveryRef[];
  /** The result of the storage. Default: one delivery is stored. */
  readonly result?: PublishedMessage;
}

function fixture({ outbox, expired = [], result }: Fixture = {}) {
  const calls: string[] = [];
  const stored: NewMessage[] = [];
  const emitted: SecurityEvent[] = [];
  const publisher = createPublisher({
    deliveries: {
      publish: async (message) => {
        calls.push('publish');
        stored.push(message);
        const { messageId } = message;
        return result ?? { outcome: 'published', messageId, deliveries: 1, expired };
      },
      ...(outbox && {
        outbox: {
          publishWithin: async (tx, message) => {
            calls.push('publish within');
            return outbox(tx, message);
          },
        },
      }),
    },
    policy: BOUNDS,
    clock: systemClock,
    emit: (event) => void emitted.push(event),
  });
  return { ...publisher, calls, stored, emitted };
}

describe('publishing within a transaction', () => {
  it('writes by that transaction only', async () => {
    const written: unknown[] = [];
    const { publishEvent, calls } = fixture({
      outbox(tx, message) {
        written.push(tx, JSON.parse(message.body).data);
        return { outcome: 'published', messageId: message.messageId, deliveries: 2 };
      },
    });
    expect(await publishEvent(EVENT, TX)).toEqual({ id: 'msg_1', deliveries: 2 });
    expect(written).toEqual([TX, { contactId: 'c_1' }]);
    expect(calls).toEqual(['publish within']);
  });

  it('returns the first message if the event was published before', async () => {
    const { publishEvent } = fixture({
      outbox: () => ({ outcome: 'duplicate', messageId: 'msg_0', deliveries: 1 }),
    });
    expect(await publishEvent(EVENT, TX)).toEqual({ id: 'msg_0', deliveries: 1 });
  });

  it('is rejected if the storage has no outbox, and publishes nothing', async () => {
    const { publishEvent, calls } = fixture();
    await expect(publishEvent(EVENT, TX)).rejects.toMatchObject({
      name: 'ConfigError',
      code: 'outbox_missing',
    });
    expect(calls).toEqual([]);
    await publishEvent(EVENT);
    expect(calls).toEqual(['publish']);
  });
});

it('an event is published with the limits of the policy, and not to a single webhook', async () => {
  const { publishEvent, stored } = fixture();
  await publishEvent(EVENT);
  expect(stored).toMatchObject([
    {
      webhookId: null,
      idempotencyMs: 3_600_000,
      retentionMs: 86_400_000,
      maxQueued: 2_000,
    },
  ]);
});

it('publishing an event emits delivery.dead for each delivery that it expires', async () => {
  const expired = ['wh_1', 'wh_2'].map((webhookId) => {
    return { accountId: 1, webhookId, deliveryId: 'msg_0' };
  });
  const { publishEvent, emitted } = fixture({ expired });
  await publishEvent(EVENT);
  expect(emitted).toEqual(
    expired.map((delivery) => ({ type: 'delivery.dead', reason: 'expired', ...delivery })),
  );
});

describe('a ping', () => {
  it('is published to one webhook, and returns the id of its delivery', async () => {
    const { sendPing, stored } = fixture();
    const deliveryId = await sendPing(PING);
    expect(stored).toMatchObject([{ ...PING, messageId: deliveryId, event: 'Webhook.Ping' }]);
    expect(JSON.parse(stored[0]?.body ?? '')).toMatchObject({ type: 'Webhook.Ping', data: {} });
  });

  it('returns null if the webhook does not exist', async () => {
    const { sendPing, calls } = fixture({ result: { outcome: 'unknown' } });
    expect(await sendPing(PING)).toBeNull();
    expect(calls).toEqual(['publish']);
  });
});

it.each([
  ['without a transaction', undefined],
  ['within a transaction', TX],
])('publishing an event %s rejects if the storage returns `unknown`', async (_, tx) => {
  const result = { outcome: 'unknown' } as const;
  const { publishEvent } = fixture({ result, outbox: () => result });
  await expect(publishEvent(EVENT, tx)).rejects.toThrow(
    'the storage returned `unknown` for a message that names no webhook',
  );
});
