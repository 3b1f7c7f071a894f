import { describe, expect, it } from 'vitest';
import { openWebhookStores } from './open-webhook-stores.ts';
import { DELIVERED, delivery, end, newMessage, newWebhook, ROOM, turn } from './webhook-samples.ts';

describe('an attempt', () => {
  it('ends once, and by whoever holds it', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
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
    const { webhooks, deliveries, clock } = await openWebhookStores();
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
    const { webhooks, deliveries } = await openWebhookStores();
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
