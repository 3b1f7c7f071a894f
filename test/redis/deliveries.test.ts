import { redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it } from 'vitest';
import { connect, uniquePrefix } from './connect.ts';
import {
  DAY_MS,
  DELIVERED,
  delivery,
  end,
  newMessage,
  newWebhook,
  ROOM,
  retryIn,
  turn,
  withWebhooks,
} from './webhook-samples.ts';

async function openStores() {
  const redis = connect();
  const keyPrefix = uniquePrefix();
  const clock = turnableClock();
  const stores = withWebhooks(redisStorage(redis, { keyPrefix, clock }));
  return { ...stores, redis, keyPrefix, clock };
}

describe('publishing', () => {
  it('hands the engine a delivery for each webhook of the event, and for no other', async () => {
    const { webhooks, deliveries } = await openStores();
    for (const id of ['wh_1', 'wh_2']) await webhooks.create(newWebhook(id), ROOM);
    await webhooks.create(newWebhook('wh_3', { event: 'Contact.Removed' }), ROOM);
    await webhooks.create(newWebhook('wh_4', { accountId: 8 }), ROOM);

    expect(await deliveries.publish(newMessage('m1'))).toEqual({
      outcome: 'published',
      messageId: 'm1',
      deliveries: 2,
      scheduled: [
        { ...delivery('wh_1', 'm1'), run: 1, delayMs: 0 },
        { ...delivery('wh_2', 'm1'), run: 1, delayMs: 0 },
      ],
      expired: [],
    });
    expect(await deliveries.countPending()).toBe(2);
  });

  it('answers a duplicate with what never started, by key and by id', async () => {
    const { webhooks, deliveries } = await openStores();
    for (const id of ['wh_1', 'wh_2']) await webhooks.create(newWebhook(id), ROOM);
    await deliveries.publish(newMessage('m1', { idempotencyKey: 'k' }));
    await deliveries.start(turn(delivery('wh_1', 'm1')));

    const duplicate = {
      outcome: 'duplicate',
      messageId: 'm1',
      deliveries: 2,
      scheduled: [{ ...delivery('wh_2', 'm1'), run: 1, delayMs: 0 }],
    };
    expect(await deliveries.publish(newMessage('m2', { idempotencyKey: 'k' }))).toEqual(duplicate);
    expect(await deliveries.publish(newMessage('m1'))).toEqual(duplicate);
    expect(
      await deliveries.publish(newMessage('m2', { accountId: 8, idempotencyKey: 'k' })),
    ).toEqual({ outcome: 'published', messageId: 'm2', deliveries: 0, scheduled: [], expired: [] });
  });

  it('knows a key for its time, where nobody was to be told too', async () => {
    const { deliveries, clock } = await openStores();
    const message = newMessage('m1', { idempotencyKey: 'k' });
    await deliveries.publish(message);
    expect(await deliveries.publish(message)).toMatchObject({
      outcome: 'duplicate',
      deliveries: 0,
    });
    clock.advance(DAY_MS);
    expect(await deliveries.publish(message)).toMatchObject({ outcome: 'published' });
  });

  it('takes no key for a webhook that is not there', async () => {
    const { webhooks, deliveries } = await openStores();
    const ping = newMessage('m1', {
      webhookId: 'wh_1',
      idempotencyKey: 'k',
      event: 'Webhook.Ping',
    });
    expect(await deliveries.publish(ping)).toEqual({ outcome: 'unknown' });
    await webhooks.create(newWebhook('wh_1', { event: 'Contact.Removed' }), ROOM);
    expect(await deliveries.publish(ping)).toMatchObject({ outcome: 'published', deliveries: 1 });
  });

  it('lets the oldest expire where too many are queued', async () => {
    const { webhooks, deliveries } = await openStores();
    await webhooks.create(newWebhook('wh_1'), ROOM);
    for (const id of ['m1', 'm2']) await deliveries.publish(newMessage(id, { maxQueued: 2 }));
    expect(await deliveries.publish(newMessage('m3', { maxQueued: 2 }))).toMatchObject({
      expired: [delivery('wh_1', 'm1')],
    });
    expect(await deliveries.find(delivery('wh_1', 'm1'))).toMatchObject({
      state: 'dead',
      deadReason: 'expired',
      nextAttemptAtMs: null,
    });
    expect(await deliveries.countPending()).toBe(2);
  });

  it('stores nothing that outlives its retention', async () => {
    const { webhooks, deliveries, clock } = await openStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 1, rateLimitPeriod: 'minute' }), ROOM);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    clock.advance(7 * DAY_MS);
    expect(await deliveries.start(turn(delivery('wh_1', 'm1')))).toEqual({ outcome: 'over' });
    expect(await deliveries.find(delivery('wh_1', 'm2'))).toBeNull();
    expect(await deliveries.publish(newMessage('m4'))).toMatchObject({
      scheduled: [{ deliveryId: 'm4', delayMs: 0 }],
    });
    expect(await deliveries.start(turn(delivery('wh_1', 'm4')))).toMatchObject({
      outcome: 'started',
    });
    expect(await deliveries.list(newWebhook('wh_1'), { limit: 10, after: null })).toHaveLength(1);
    expect(await deliveries.countPending()).toBe(1);
    expect(await deliveries.publish(newMessage('m1'))).toMatchObject({ outcome: 'published' });
    expect(await deliveries.find(delivery('wh_1', 'm1'))).toMatchObject({ sequence: 5 });
  });
});

describe('the order of first tries', () => {
  it('is that of publishing: nobody takes the start of one before it', async () => {
    const { webhooks, deliveries, clock } = await openStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 2 }), ROOM);
    const published = [];
    for (const id of ['m1', 'm2', 'm3', 'm4', 'm5', 'm6']) {
      published.push(await deliveries.publish(newMessage(id)));
    }
    const delays = published.flatMap((answer) =>
      answer.outcome === 'published' ? answer.scheduled.map(({ delayMs }) => delayMs) : [],
    );
    expect(delays).toEqual([0, 0, 1000, 1500, 2000, 2500]);
    const start = (id: string) => deliveries.start(turn(delivery('wh_1', id)));
    expect(await start('m3')).toEqual({
      outcome: 'deferred',
      delayMs: 1000,
      by: 'rate',
      next: null,
    });
    expect(await start('m2')).toMatchObject({ outcome: 'started' });
    expect(await start('m3')).toMatchObject({ outcome: 'deferred', by: 'rate', next: null });
    expect(await start('m1')).toMatchObject({ outcome: 'started' });
    clock.advance(999);
    expect(await start('m3')).toEqual({ outcome: 'deferred', delayMs: 1, by: 'rate', next: null });
    clock.advance(1);
    expect(await start('m4')).toMatchObject({ outcome: 'started' });
    expect(await start('m3')).toMatchObject({ outcome: 'started' });
    expect(await start('m5')).toEqual({
      outcome: 'deferred',
      delayMs: 1000,
      by: 'rate',
      next: null,
    });
  });

  it('is told anew by a limit that was changed', async () => {
    const { webhooks, deliveries } = await openStores();
    const { webhook } = {
      webhook: newWebhook('wh_1', { rateLimit: 1, rateLimitPeriod: 'minute' }),
    };
    await webhooks.create(webhook, ROOM);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    await webhooks.change(webhook, { rateLimit: 2, rateLimitPeriod: 'second' });
    const page = { rateMarginMs: 100, limit: 2, after: null };
    const first = await deliveries.reschedule(webhook, page);
    expect(first).toEqual([
      { ...delivery('wh_1', 'm1'), run: 1, delayMs: 0, sequence: 1 },
      { ...delivery('wh_1', 'm2'), run: 1, delayMs: 0, sequence: 2 },
    ]);
    expect(await deliveries.reschedule(webhook, { ...page, after: 2 })).toEqual([
      { ...delivery('wh_1', 'm3'), run: 1, delayMs: 1100, sequence: 3 },
    ]);
  });
});

describe('retries beyond the rate', () => {
  it('are told to come one by one', async () => {
    const { webhooks, deliveries, clock } = await openStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 4 }), ROOM);
    const ids = ['m1', 'm2', 'm3', 'm4'];
    for (const id of ids) {
      await deliveries.publish(newMessage(id));
      await deliveries.start(turn(delivery('wh_1', id)));
      await deliveries.finish(end(delivery('wh_1', id), 1, retryIn(0)));
    }
    const start = (id: string) => deliveries.start(turn(delivery('wh_1', id)));
    const told = [];
    for (const id of ids) told.push(await start(id));
    expect(told).toEqual(
      [1000, 1250, 1500, 1750].map((delayMs) => ({
        outcome: 'deferred',
        delayMs,
        by: 'rate',
        next: null,
      })),
    );
    clock.advance(500);
    expect(await start('m4')).toEqual({
      outcome: 'deferred',
      delayMs: 1250,
      by: 'rate',
      next: null,
    });
    clock.advance(500);
    expect(await start('m4')).toMatchObject({ outcome: 'started', attempt: 2, triesBefore: 1 });
  });

  it('wait for their time first', async () => {
    const { webhooks, deliveries, clock } = await openStores();
    await webhooks.create(newWebhook('wh_1'), ROOM);
    await deliveries.publish(newMessage('m1'));
    const ref = delivery('wh_1', 'm1');
    await deliveries.start(turn(ref));
    expect(await deliveries.finish(end(ref, 1, retryIn(5000)))).toEqual({
      outcome: 'finished',
      state: 'waiting',
      disabled: null,
      next: null,
    });
    clock.advance(1000);
    const early = { outcome: 'deferred', delayMs: 4000, by: 'schedule', next: null };
    expect(await deliveries.start(turn(ref))).toEqual(early);
    clock.advance(4000);
    expect(await deliveries.start(turn(ref))).toMatchObject({ outcome: 'started', attempt: 2 });
  });
});

describe('an attempt', () => {
  it('ends once, and by whoever holds it', async () => {
    const { webhooks, deliveries, clock } = await openStores();
    await webhooks.create(newWebhook('wh_1'), ROOM);
    await deliveries.publish(newMessage('m1'));
    const ref = delivery('wh_1', 'm1');
    const started = await deliveries.start(turn(ref));
    expect(started).toEqual({
      outcome: 'started',
      attempt: 1,
      triesBefore: 0,
      startedAtMs: clock.nowMs(),
      event: 'Contact.Added',
      body: '{"id":"m1"}',
      webhook: {
        url: 'https://receiver.example/hooks',
        secrets: [{ sealed: 'sealed-1', retiresAtMs: null }],
        rateLimit: 50,
        rateLimitPeriod: 'second',
      },
    });
    clock.advance(5000);
    expect(await deliveries.start(turn(ref))).toEqual({
      outcome: 'deferred',
      delayMs: 15_000,
      by: 'sending',
      next: null,
    });
    clock.advance(15_000);
    expect(await deliveries.start(turn(ref))).toMatchObject({ attempt: 2, triesBefore: 0 });
    expect(await deliveries.finish(end(ref, 1, DELIVERED))).toEqual({ outcome: 'stale' });
    expect(await deliveries.finish(end(ref, 2, DELIVERED))).toMatchObject({ state: 'delivered' });
    expect(await deliveries.finish(end(ref, 2, DELIVERED))).toEqual({ outcome: 'stale' });
    expect(await deliveries.find(ref)).toMatchObject({
      state: 'delivered',
      attempts: [
        { attempt: 1, status: null, durationMs: 20_000, error: 'lost', response: null },
        { attempt: 2, startedAtMs: clock.nowMs(), status: 200, durationMs: 12, error: null },
      ],
    });
    expect(await deliveries.start(turn(ref))).toEqual({ outcome: 'over' });
    expect(await deliveries.countPending()).toBe(0);
  });

  it('that kills everyone who makes it ends in poison', async () => {
    const { webhooks, deliveries, clock } = await openStores();
    await webhooks.create(newWebhook('wh_1'), ROOM);
    await deliveries.publish(newMessage('m1'));
    const ref = delivery('wh_1', 'm1');
    const outcomes = [];
    for (let nth = 0; nth < 4; nth += 1) {
      outcomes.push((await deliveries.start(turn(ref, { maxLostAttempts: 3 }))).outcome);
      clock.advance(20_000);
    }
    expect(outcomes).toEqual(['started', 'started', 'started', 'poisoned']);
    expect(await deliveries.find(ref)).toMatchObject({ state: 'dead', deadReason: 'poison' });
  });

  it('waits for room until there is some at the worst, and is named when there is', async () => {
    const { webhooks, deliveries } = await openStores();
    await webhooks.create(newWebhook('wh_1'), ROOM);
    for (const id of ['m1', 'm2', 'm3', 'm4']) await deliveries.publish(newMessage(id));
    const start = (id: string) => deliveries.start(turn(delivery('wh_1', id), { maxInFlight: 1 }));
    await start('m1');
    expect(await start('m2')).toEqual({
      outcome: 'deferred',
      delayMs: 20_000,
      by: 'in_flight',
      next: null,
    });
    expect(await start('m4')).toEqual({
      outcome: 'deferred',
      delayMs: 60_000,
      by: 'in_flight',
      next: null,
    });
    const ended = await deliveries.finish({
      ...end(delivery('wh_1', 'm1'), 1, DELIVERED),
      maxInFlight: 1,
    });
    expect(ended).toMatchObject({ next: { ...delivery('wh_1', 'm2'), run: 1, delayMs: 0 } });
  });
});

describe('a disabled webhook', () => {
  it('gets what was held for it when it is enabled, in order', async () => {
    const { webhooks, deliveries, clock } = await openStores();
    const webhook = newWebhook('wh_1');
    await webhooks.create(webhook, ROOM);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    for (const id of ['m1', 'm2']) await deliveries.start(turn(delivery('wh_1', id)));
    const gone = end(delivery('wh_1', 'm1'), 1, { kind: 'dead', reason: 'gone' });
    expect(await deliveries.finish(gone)).toEqual({
      outcome: 'finished',
      state: 'dead',
      disabled: 'gone',
      next: null,
    });
    expect(await deliveries.finish(end(delivery('wh_1', 'm2'), 1, retryIn(5000)))).toMatchObject({
      state: 'held',
      disabled: null,
    });
    expect(await deliveries.start(turn(delivery('wh_1', 'm3')))).toEqual({ outcome: 'held' });
    expect(await deliveries.publish(newMessage('m4'))).toMatchObject({
      deliveries: 1,
      scheduled: [],
    });
    expect(await deliveries.countPending()).toBe(0);
    expect(await deliveries.release(webhook, { limit: 10 })).toEqual({
      scheduled: [],
      count: 0,
      more: false,
    });
    expect(await deliveries.resend(delivery('wh_1', 'm1'))).toEqual({ outcome: 'held' });

    clock.advance(1);
    expect(await webhooks.enable(webhook)).toMatchObject({ disabledAtMs: null });
    const first = await deliveries.release(webhook, { limit: 2 });
    expect(first).toMatchObject({ scheduled: [{ deliveryId: 'm1', run: 2 }, {}], more: true });
    expect(await deliveries.release(webhook, { limit: 2 })).toMatchObject({
      scheduled: [
        { deliveryId: 'm3', run: 2, delayMs: 0 },
        { deliveryId: 'm4', run: 2, delayMs: 0 },
      ],
      more: false,
    });
    expect(await deliveries.countPending()).toBe(4);
  });

  it('is one that nothing but failed for long', async () => {
    const { webhooks, deliveries, clock } = await openStores();
    await webhooks.create(newWebhook('wh_1'), ROOM);
    await deliveries.publish(newMessage('m1'));
    const ref = delivery('wh_1', 'm1');
    const fail = async () => {
      const started = await deliveries.start(turn(ref));
      if (started.outcome !== 'started') return started.outcome;
      const ended = await deliveries.finish(end(ref, started.attempt, retryIn(0)));
      return ended.outcome === 'finished' ? ended.disabled : ended.outcome;
    };
    expect(await fail()).toBeNull();
    clock.advance(5 * DAY_MS - 1);
    expect(await fail()).toBeNull();
    clock.advance(1);
    expect(await fail()).toBe('failing');
    expect(await webhooks.find(ref)).toMatchObject({
      disabledAtMs: clock.nowMs(),
      disabledReason: 'failing',
    });
  });
});

describe('what was lost', () => {
  it('is found again, longest first, over all webhooks', async () => {
    const { webhooks, deliveries, clock } = await openStores();
    for (const id of ['wh_1', 'wh_2']) {
      await webhooks.create(newWebhook(id, { event: `Contact.${id}` }), ROOM);
    }
    await deliveries.publish(newMessage('m1', { event: 'Contact.wh_1' }));
    clock.advance(10);
    await deliveries.publish(newMessage('m2', { event: 'Contact.wh_2' }));
    clock.advance(10);
    await deliveries.publish(newMessage('m3', { event: 'Contact.wh_1' }));
    await deliveries.start(turn(delivery('wh_2', 'm2'), { leaseMs: 1000 }));
    const late = () => deliveries.overdue({ graceMs: 30, limit: 10 });
    expect(await late()).toEqual([]);
    clock.advance(30);
    expect((await late()).map(({ deliveryId }) => deliveryId)).toEqual(['m1', 'm3']);
    expect(await deliveries.overdue({ graceMs: 30, limit: 1 })).toEqual([
      { ...delivery('wh_1', 'm1'), run: 1, delayMs: 0 },
    ]);
    clock.advance(1000);
    expect((await late()).map(({ deliveryId }) => deliveryId)).toEqual(['m1', 'm3', 'm2']);
    for (const [webhookId, id] of [
      ['wh_1', 'm1'],
      ['wh_1', 'm3'],
    ] as const) {
      await deliveries.start(turn(delivery(webhookId, id)));
    }
    expect((await late()).map(({ deliveryId }) => deliveryId)).toEqual(['m2']);
    await webhooks.remove(newWebhook('wh_2'));
    expect(await late()).toEqual([]);
    expect(await deliveries.countPending()).toBe(2);
  });

  it('is sent again, the oldest first, and no faster than the rate', async () => {
    const { webhooks, deliveries, clock } = await openStores();
    const webhook = newWebhook('wh_1', { rateLimit: 2 });
    await webhooks.create(webhook, ROOM);
    for (const id of ['m1', 'm2', 'm3', 'm4', 'm5']) {
      clock.advance(1000);
      await deliveries.publish(newMessage(id));
      await deliveries.start(turn(delivery('wh_1', id)));
      const verdict = { kind: 'dead', reason: 'exhausted' } as const;
      await deliveries.finish(end(delivery('wh_1', id), 1, verdict));
    }
    const sinceMs = clock.nowMs() - 3000;
    clock.advance(1000);
    const { scheduled, more } = await deliveries.recover(webhook, { sinceMs, limit: 3 });
    expect(scheduled).toEqual([
      { ...delivery('wh_1', 'm2'), run: 2, delayMs: 0 },
      { ...delivery('wh_1', 'm3'), run: 2, delayMs: 0 },
      { ...delivery('wh_1', 'm4'), run: 2, delayMs: 1000 },
    ]);
    expect(more).toBe(true);
    expect(await deliveries.recover(webhook, { sinceMs, limit: 3 })).toEqual({
      scheduled: [{ ...delivery('wh_1', 'm5'), run: 2, delayMs: 1500 }],
      count: 1,
      more: false,
    });
    expect(await deliveries.start(turn(delivery('wh_1', 'm2')))).toEqual({ outcome: 'over' });
    expect(await deliveries.resend(delivery('wh_1', 'm1'))).toMatchObject({
      scheduled: { run: 2, delayMs: 2000 },
    });
    expect(await deliveries.resend(delivery('wh_1', 'm1'))).toEqual({ outcome: 'under_way' });
    const again = await deliveries.start(turn(delivery('wh_1', 'm2'), { run: 2 }));
    expect(again).toMatchObject({ outcome: 'started', attempt: 2, triesBefore: 0 });
  });
});

describe('lists of deliveries', () => {
  it('come newest first, a page at a time', async () => {
    const { webhooks, deliveries } = await openStores();
    const webhook = newWebhook('wh_1');
    expect(await deliveries.list(webhook, { limit: 2, after: null })).toBeNull();
    await webhooks.create(webhook, ROOM);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    const first = await deliveries.list(webhook, { limit: 2, after: null });
    expect(first).toMatchObject([{ deliveryId: 'm3' }, { deliveryId: 'm2', sequence: 2 }]);
    const rest = await deliveries.list(webhook, { limit: 2, after: 2 });
    expect(rest).toMatchObject([{ deliveryId: 'm1', state: 'queued', attempts: [] }]);
    await webhooks.remove(webhook);
    expect(await deliveries.list(webhook, { limit: 2, after: null })).toBeNull();
    expect(await deliveries.find(delivery('wh_1', 'm1'))).toBeNull();
    expect(await deliveries.start(turn(delivery('wh_1', 'm1')))).toEqual({ outcome: 'over' });
  });
});
