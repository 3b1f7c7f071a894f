import type { LinePosition } from '@latchhook/core/storage';
import { describe, expect, it } from 'vitest';
import {
  DELIVERED,
  deliveryTo,
  finishing,
  LIMITS,
  newMessage,
  newWebhook,
  retryAfter,
  starting,
} from '../support/storage/webhook-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

function firstTry(sequence: number): LinePosition {
  return { line: 'first_tries', sequence };
}

describe('the order of first tries', () => {
  it('is that of publishing: no delivery takes the start of one before it', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 2 }), LIMITS);
    const published = [];
    for (const id of ['m1', 'm2', 'm3', 'm4', 'm5', 'm6']) {
      published.push(await deliveries.publish(newMessage(id)));
    }
    const delays = published.flatMap((answer) =>
      answer.outcome === 'published' ? answer.scheduled.map(({ delayMs }) => delayMs) : [],
    );
    expect(delays).toEqual([0, 0, 1000, 1500, 2000, 2500]);
    const start = (id: string) => deliveries.start(starting(deliveryTo('wh_1', id)));
    expect(await start('m3')).toEqual({
      outcome: 'deferred',
      delayMs: 1000,
      reason: 'rate',
      next: null,
    });
    expect(await start('m2')).toMatchObject({ outcome: 'started' });
    expect(await start('m3')).toMatchObject({ outcome: 'deferred', reason: 'rate', next: null });
    expect(await start('m1')).toMatchObject({ outcome: 'started' });
    clock.advance(999);
    expect(await start('m3')).toEqual({
      outcome: 'deferred',
      delayMs: 1,
      reason: 'rate',
      next: null,
    });
    clock.advance(1);
    expect(await start('m4')).toMatchObject({ outcome: 'started' });
    expect(await start('m3')).toMatchObject({ outcome: 'started' });
    expect(await start('m5')).toEqual({
      outcome: 'deferred',
      delayMs: 1000,
      reason: 'rate',
      next: null,
    });
  });

  it('is kept when they are rescheduled under a changed limit', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    const { webhook } = {
      webhook: newWebhook('wh_1', { rateLimit: 1, rateLimitPeriod: 'minute' }),
    };
    await webhooks.create(webhook, LIMITS);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    await webhooks.change(webhook, { rateLimit: 2, rateLimitPeriod: 'second' });
    const page = { rateMarginMs: 100, maxInFlight: 10, leaseMs: 20_000, limit: 2, after: null };
    const first = await deliveries.reschedule(webhook, page);
    expect(first).toEqual([
      { ...deliveryTo('wh_1', 'm1'), run: 1, delayMs: 0, position: firstTry(1) },
      { ...deliveryTo('wh_1', 'm2'), run: 1, delayMs: 0, position: firstTry(2) },
    ]);
    expect(await deliveries.reschedule(webhook, { ...page, after: firstTry(2) })).toEqual([
      { ...deliveryTo('wh_1', 'm3'), run: 1, delayMs: 1100, position: firstTry(3) },
    ]);
  });
});

describe('a rate whose clock is set back', () => {
  it('makes deliveries wait for one window at most', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 3 }), LIMITS);
    const start = (id: string) => deliveries.start(starting(deliveryTo('wh_1', id)));
    const ids = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'];
    for (const id of ids) await deliveries.publish(newMessage(id));
    // Two starts before the clock is set back and one after: all count.
    for (const id of ['m1', 'm2']) {
      await start(id);
      clock.advance(10);
    }
    clock.advance(-3_600_000);
    expect(await start('m3')).toMatchObject({ outcome: 'started' });
    const deferred = { outcome: 'deferred', reason: 'rate', next: null };
    expect(await start('m4')).toEqual({ ...deferred, delayMs: 1000 });
    clock.advance(999);
    expect(await start('m4')).toEqual({ ...deferred, delayMs: 1 });
    clock.advance(1);
    for (const id of ['m4', 'm5', 'm6']) {
      expect(await start(id)).toMatchObject({ outcome: 'started' });
    }
  });
});

describe('a pause whose clock is set back', () => {
  it('is over, and makes way for another', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    const start = (id: string) => deliveries.start(starting(deliveryTo('wh_1', id)));
    const pause = { pauseMs: 5_000 };
    await start('m1');
    await deliveries.finish(finishing(deliveryTo('wh_1', 'm1'), 1, retryAfter(60_000), pause));
    expect(await start('m2')).toMatchObject({ outcome: 'deferred', delayMs: 5_000 });
    clock.advance(-3_600_000);
    expect(await start('m2')).toMatchObject({ outcome: 'started' });
    await deliveries.finish(finishing(deliveryTo('wh_1', 'm2'), 1, retryAfter(60_000), pause));
    expect(await start('m3')).toMatchObject({ outcome: 'deferred', delayMs: 5_000 });
  });
});

describe('the starts that are remembered', () => {
  it('are those of the last minute, and some more', async () => {
    const { webhooks, deliveries, clock, redis, keyPrefix } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 10 }), LIMITS);
    const startMany = async (count: number, everyMs: number, from: number) => {
      for (let nth = from; nth < from + count; nth += 1) {
        await deliveries.publish(newMessage(`m${nth}`));
        const answer = await deliveries.start(starting(deliveryTo('wh_1', `m${nth}`)));
        expect(answer).toMatchObject({ outcome: 'started' });
        await deliveries.finish(finishing(deliveryTo('wh_1', `m${nth}`), 1, DELIVERED));
        clock.advance(everyMs);
      }
    };
    await startMany(200, 110, 0);
    await startMany(300, 1_000, 200);
    const [key = '', ...others] = await redis.keys(`*${keyPrefix}*starts*`);
    expect(others).toEqual([]);
    const length = await redis.llen(key);
    expect(length).toBeGreaterThanOrEqual(60);
    expect(length).toBeLessThanOrEqual(60 + 48);
  });
});

describe('retries beyond the rate', () => {
  it('are scheduled one by one', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 4 }), LIMITS);
    const ids = ['m1', 'm2', 'm3', 'm4'];
    for (const id of ids) {
      await deliveries.publish(newMessage(id));
      await deliveries.start(starting(deliveryTo('wh_1', id)));
      await deliveries.finish(finishing(deliveryTo('wh_1', id), 1, retryAfter(0)));
    }
    const start = (id: string) => deliveries.start(starting(deliveryTo('wh_1', id)));
    const answers = [];
    for (const id of ids) answers.push(await start(id));
    expect(answers).toEqual(
      [1000, 1250, 1500, 1750].map((delayMs) => ({
        outcome: 'deferred',
        delayMs,
        reason: 'rate',
        next: null,
      })),
    );
    clock.advance(500);
    expect(await start('m4')).toEqual({
      outcome: 'deferred',
      delayMs: 1250,
      reason: 'rate',
      next: null,
    });
    clock.advance(500);
    expect(await start('m4')).toMatchObject({ outcome: 'started', attempt: 2, triesBefore: 1 });
  });

  it('come before later first tries, and before those that are parked until there is room', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    const webhook = newWebhook('wh_1', { rateLimit: 3 });
    await webhooks.create(webhook, LIMITS);
    const start = (id: string, maxInFlight: number) =>
      deliveries.start(starting(deliveryTo('wh_1', id), { maxInFlight }));
    for (const id of ['r1', 'm1', 'm2']) await deliveries.publish(newMessage(id));
    await start('r1', 1);
    for (const id of ['m1', 'm2'])
      expect(await start(id, 1)).toMatchObject({ reason: 'in_flight' });
    await deliveries.finish(
      finishing(deliveryTo('wh_1', 'r1'), 1, retryAfter(0), { maxInFlight: 0 }),
    );
    clock.advance(500);
    await start('m1', 2);
    await webhooks.change(webhook, { rateLimit: 2 });
    // There is room for one more, but it is the turn of the retry, which now waits.
    const deferral = { outcome: 'deferred', reason: 'rate', delayMs: 500, next: null };
    expect(await start('r1', 2)).toEqual(deferral);
    expect(await deliveries.publish(newMessage('m3'))).toMatchObject({
      scheduled: [{ deliveryId: 'm3', delayMs: 1500 }],
    });
  });

  it('wait for their time first', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    await deliveries.publish(newMessage('m1'));
    const ref = deliveryTo('wh_1', 'm1');
    await deliveries.start(starting(ref));
    expect(await deliveries.finish(finishing(ref, 1, retryAfter(5000)))).toEqual({
      outcome: 'finished',
      state: 'waiting',
      disabled: null,
      next: null,
    });
    clock.advance(1000);
    const early = { outcome: 'deferred', delayMs: 4000, reason: 'schedule', next: null };
    expect(await deliveries.start(starting(ref))).toEqual(early);
    clock.advance(4000);
    expect(await deliveries.start(starting(ref))).toMatchObject({ outcome: 'started', attempt: 2 });
  });
});
