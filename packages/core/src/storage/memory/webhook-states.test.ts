import { beforeEach, describe, expect, it } from 'vitest';
import type { NewMessage } from '../new-message.ts';
import { MemoryDeliveryStore } from './memory-delivery-store.ts';
import { MemoryWebhookStore } from './memory-webhook-store.ts';
import { WebhookStates } from './webhook-states.ts';

const HOUR_MS = 3_600_000;

describe('what the memory storage keeps of webhooks', () => {
  let nowMs: number;
  let states: WebhookStates;
  let webhooks: MemoryWebhookStore;
  let deliveries: MemoryDeliveryStore;

  beforeEach(() => {
    nowMs = Date.UTC(2026, 0, 1);
    states = new WebhookStates({ nowMs: () => nowMs }, { maxDelivered: 100 });
    webhooks = new MemoryWebhookStore(states);
    deliveries = new MemoryDeliveryStore(states);
  });

  function create(accountId: number, webhookId: string) {
    return webhooks.create(
      {
        accountId,
        webhookId,
        event: 'Contact.Added',
        url: 'https://receiver.example',
        rateLimit: 1,
        rateLimitPeriod: 'minute',
        sealedSecret: 'sealed',
      },
      { maxPerAccount: 10 },
    );
  }

  function publish(messageId: string, more: Partial<NewMessage> = {}) {
    return deliveries.publish({
      accountId: 1,
      messageId,
      event: 'Contact.Added',
      body: '{}',
      webhookId: null,
      idempotencyKey: null,
      idempotencyMs: HOUR_MS,
      retentionMs: HOUR_MS,
      maxQueued: 1000,
      rateMarginMs: 0,
      ...more,
    });
  }

  it('stays in proportion to what is published within the retention', async () => {
    await create(1, 'wh_1');
    for (let nth = 0; nth < 5000; nth += 1) {
      await publish(`msg_${nth}`, { idempotencyKey: `key ${nth}` });
      nowMs += HOUR_MS / 100;
    }
    expect(states.size).toBeLessThanOrEqual(201);
    const webhook = states.webhook({ accountId: 1, webhookId: 'wh_1' });
    expect(webhook?.log.size).toBeLessThanOrEqual(100);
    expect(webhook?.log.size).toBe(webhook?.byState.queued.size);
    expect(states.due.size).toBe(webhook?.log.size);
  });

  it('stays in proportion to the queue that is allowed, disabled or not', async () => {
    await create(1, 'wh_1');
    const webhook = states.webhook({ accountId: 1, webhookId: 'wh_1' });
    for (let nth = 0; nth < 50; nth += 1) await publish(`msg_${nth}`, { maxQueued: 20 });
    expect(webhook?.byState.queued.size).toBe(20);
    if (webhook) webhook.record = { ...webhook.record, disabledAtMs: nowMs };
    for (let nth = 0; nth < 50; nth += 1) await publish(`late_${nth}`, { maxQueued: 20 });
    expect(webhook?.byState.held.size).toBe(20);
    expect(webhook?.byState.dead.size).toBe(60);
  });

  it('includes nothing of an event that nobody waits for, unless it has a key', async () => {
    await publish('msg_1');
    expect(states.size).toBe(0);
    await publish('msg_2', { idempotencyKey: 'key' });
    expect(states.size).toBe(1);
  });

  it('includes nothing of an account that has neither webhooks nor messages any more', async () => {
    for (const accountId of [1, 2]) await create(accountId, 'wh_1');
    await publish('msg_1');
    expect(states.size).toBe(3);
    for (const accountId of [1, 2]) await webhooks.remove({ accountId, webhookId: 'wh_1' });
    expect(states.size).toBe(2);
    nowMs += HOUR_MS;
    await publish('msg_2');
    expect(states.size).toBe(0);
  });

  it('includes keys that outlive their messages', async () => {
    await create(1, 'wh_1');
    const key = { idempotencyKey: 'key', idempotencyMs: 2 * HOUR_MS };
    await publish('msg_1', key);
    nowMs += HOUR_MS;
    const again = { outcome: 'duplicate', messageId: 'msg_1', deliveries: 1, scheduled: [] };
    expect(await publish('msg_2', key)).toEqual(again);
    nowMs += HOUR_MS;
    expect(await publish('msg_3', key)).toMatchObject({ outcome: 'published' });
  });

  it('holds no body that nobody can send any more, but knows that it was published', async () => {
    await create(1, 'wh_1');
    await publish('msg_1');
    await webhooks.remove({ accountId: 1, webhookId: 'wh_1' });
    expect(states.message(1, 'msg_1')?.body).toBe('');
    expect(await publish('msg_1')).toMatchObject({ outcome: 'duplicate', scheduled: [] });
    expect(states.due.size).toBe(0);
    nowMs += HOUR_MS;
    expect(await publish('msg_1')).toMatchObject({ outcome: 'published' });
  });

  it('holds the body of what is left for another webhook', async () => {
    await create(1, 'wh_1');
    await create(1, 'wh_2');
    await publish('msg_1');
    await webhooks.remove({ accountId: 1, webhookId: 'wh_1' });
    expect(states.message(1, 'msg_1')?.body).toBe('{}');
  });
});
