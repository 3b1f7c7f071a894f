import { describe, expect, it } from 'vitest';
import type { NewMessage } from '../../new-message.ts';
import { QueueStates } from './queue-states.ts';

const RETENTION_MS = 1_000;

function message(messageId: string): NewMessage {
  return {
    ...{ accountId: 1, messageId, event: 'Contact.Added', body: '{}', webhookId: null },
    ...{ idempotencyKey: null, idempotencyMs: 1_000, retentionMs: RETENTION_MS },
    maxQueued: 10,
  };
}

function setUp() {
  const clock = { ms: 0, nowMs: () => clock.ms };
  const states = new QueueStates(clock, { maxDelivered: 1, timeOfDay: clock });
  const publish = (messageId: string) => {
    const nowMs = states.begin();
    return states
      .queue({ accountId: 1, webhookId: 'wh_1' })
      .append(states.addMessage(message(messageId), 1, nowMs));
  };
  return { clock, states, publish };
}

describe('QueueStates', () => {
  it('keeps a republished message when the first message with its id would have expired', () => {
    const { clock, states, publish } = setUp();
    for (const id of ['m1', 'm2']) states.addDelivered(publish(id));
    expect(states.message(1, 'm1')).toBeUndefined();
    clock.ms = RETENTION_MS / 2;
    publish('m1');
    clock.ms = RETENTION_MS;
    states.begin();
    expect(states.message(1, 'm1')?.deliveries).toHaveLength(1);
    clock.ms += RETENTION_MS / 2;
    states.begin();
    expect(states.message(1, 'm1')).toBeUndefined();
  });

  it('keeps the id of a message until it expires, without its body, if its webhook is removed', () => {
    const { clock, states, publish } = setUp();
    publish('m1');
    states.removeQueue({ accountId: 1, webhookId: 'wh_1' });
    expect(states.message(1, 'm1')).toMatchObject({ body: '', published: 1, deliveries: [] });
    clock.ms = RETENTION_MS;
    states.begin();
    expect(states.message(1, 'm1')).toBeUndefined();
  });
});
