import { describe, expect, it } from 'vitest';
import {
  DAY_MS,
  deliveryTo,
  finishing,
  LIMITS,
  newMessage,
  newWebhook,
  starting,
} from '../support/storage/webhook-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

describe('publishing', () => {
  it('hands the engine a delivery for each webhook of the event, and for no other', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    for (const id of ['wh_1', 'wh_2']) await webhooks.create(newWebhook(id), LIMITS);
    await webhooks.create(newWebhook('wh_3', { event: 'Contact.Removed' }), LIMITS);
    await webhooks.create(newWebhook('wh_4', { accountId: 8 }), LIMITS);

    expect(await deliveries.publish(newMessage('m1'))).toEqual({
      outcome: 'published',
      messageId: 'm1',
      deliveries: 2,
      scheduled: [
        { ...deliveryTo('wh_1', 'm1'), run: 1, delayMs: 0 },
        { ...deliveryTo('wh_2', 'm1'), run: 1, delayMs: 0 },
      ],
      expired: [],
    });
    expect(await deliveries.countPending()).toBe(2);
  });

  it('answers a duplicate with what never started, by key and by id', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    for (const id of ['wh_1', 'wh_2']) await webhooks.create(newWebhook(id), LIMITS);
    await deliveries.publish(newMessage('m1', { idempotencyKey: 'k' }));
    await deliveries.start(starting(deliveryTo('wh_1', 'm1')));

    const duplicate = {
      outcome: 'duplicate',
      messageId: 'm1',
      deliveries: 2,
      scheduled: [{ ...deliveryTo('wh_2', 'm1'), run: 1, delayMs: 0 }],
    };
    expect(await deliveries.publish(newMessage('m2', { idempotencyKey: 'k' }))).toEqual(duplicate);
    expect(await deliveries.publish(newMessage('m1'))).toEqual(duplicate);
    expect(
      await deliveries.publish(newMessage('m2', { accountId: 8, idempotencyKey: 'k' })),
    ).toEqual({ outcome: 'published', messageId: 'm2', deliveries: 0, scheduled: [], expired: [] });
  });

  it('knows a key for its time, even if there was no webhook for the event', async () => {
    const { deliveries, clock } = await openWebhookStores();
    const message = newMessage('m1', { idempotencyKey: 'k' });
    await deliveries.publish(message);
    expect(await deliveries.publish(message)).toMatchObject({
      outcome: 'duplicate',
      deliveries: 0,
    });
    clock.advance(DAY_MS);
    expect(await deliveries.publish(message)).toMatchObject({ outcome: 'published' });
  });

  it('stores no key for a webhook that does not exist', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    const ping = newMessage('m1', {
      webhookId: 'wh_1',
      idempotencyKey: 'k',
      event: 'Webhook.Ping',
    });
    expect(await deliveries.publish(ping)).toEqual({ outcome: 'unknown' });
    await webhooks.create(newWebhook('wh_1', { event: 'Contact.Removed' }), LIMITS);
    expect(await deliveries.publish(ping)).toMatchObject({ outcome: 'published', deliveries: 1 });
  });

  it('lets the oldest deliveries expire if too many are queued', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    for (const id of ['m1', 'm2']) await deliveries.publish(newMessage(id, { maxQueued: 2 }));
    expect(await deliveries.publish(newMessage('m3', { maxQueued: 2 }))).toMatchObject({
      expired: [deliveryTo('wh_1', 'm1')],
    });
    expect(await deliveries.find(deliveryTo('wh_1', 'm1'))).toMatchObject({
      state: 'dead',
      deadReason: 'expired',
      nextAttemptAtMs: null,
    });
    expect(await deliveries.countPending()).toBe(2);
  });

  it('lets them expire in steps if many more wait than allowed, as the bound was lowered', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    for (let nth = 0; nth < 150; nth += 1) await deliveries.publish(newMessage(`m${nth}`));
    const expired = [];
    for (const id of ['first', 'second', 'third']) {
      const answer = await deliveries.publish(newMessage(id, { maxQueued: 1 }));
      expired.push('expired' in answer && answer.expired.length);
    }
    expect(expired).toEqual([100, 51, 1]);
  });

  it('stores nothing that outlives its retention', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 1, rateLimitPeriod: 'minute' }), LIMITS);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    clock.advance(7 * DAY_MS);
    expect(await deliveries.start(starting(deliveryTo('wh_1', 'm1')))).toEqual({ outcome: 'over' });
    expect(await deliveries.find(deliveryTo('wh_1', 'm2'))).toBeNull();
    expect(await deliveries.publish(newMessage('m4'))).toMatchObject({
      scheduled: [{ deliveryId: 'm4', delayMs: 0 }],
    });
    expect(await deliveries.start(starting(deliveryTo('wh_1', 'm4')))).toMatchObject({
      outcome: 'started',
    });
    expect(await deliveries.list(newWebhook('wh_1'), { limit: 10, after: null })).toHaveLength(1);
    expect(await deliveries.countPending()).toBe(1);
    expect(await deliveries.publish(newMessage('m1'))).toMatchObject({ outcome: 'published' });
    expect(await deliveries.find(deliveryTo('wh_1', 'm1'))).toMatchObject({ sequence: 5 });
  });

  it('starts from scratch if an id is used again after it was forgotten', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    const ref = deliveryTo('wh_1', 'm1');
    await deliveries.publish(newMessage('m1'));
    await deliveries.start(starting(ref));
    await deliveries.finish(finishing(ref, 1, { kind: 'dead', reason: 'exhausted' }));
    clock.advance(7 * DAY_MS);
    await deliveries.publish(newMessage('m1', { body: '"again"' }));
    expect(await deliveries.find(ref)).toMatchObject({ deadReason: null, attempts: [] });
    expect(await deliveries.recover(ref, { sinceMs: 0, limit: 10 })).toMatchObject({ count: 0 });
    expect(await deliveries.start(starting(ref))).toMatchObject({ attempt: 1, body: '"again"' });
  });
});
