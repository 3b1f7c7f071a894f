import type { Verdict } from '@latchhook/core/storage';
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

describe('an attempt', () => {
  it('ends once, and only by the process that made it', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    await deliveries.publish(newMessage('m1'));
    const ref = deliveryTo('wh_1', 'm1');
    const started = await deliveries.start(starting(ref));
    expect(started).toEqual({
      outcome: 'started',
      attempt: 1,
      triesBefore: 0,
      startedAtMs: clock.nowMs(),
      body: '{"id":"m1"}',
      webhook: {
        url: 'https://receiver.example/hooks',
        secrets: [{ sealed: 'sealed-1', retiresAtMs: null }],
      },
      next: null,
    });
    clock.advance(5000);
    expect(await deliveries.start(starting(ref))).toEqual({
      outcome: 'deferred',
      delayMs: 15_000,
      reason: 'sending',
      next: null,
    });
    clock.advance(15_000);
    expect(await deliveries.start(starting(ref))).toMatchObject({ attempt: 2, triesBefore: 0 });
    expect(await deliveries.finish(finishing(ref, 1, DELIVERED))).toEqual({ outcome: 'stale' });
    expect(await deliveries.finish(finishing(ref, 2, DELIVERED))).toMatchObject({
      state: 'delivered',
    });
    expect(await deliveries.finish(finishing(ref, 2, DELIVERED))).toEqual({ outcome: 'stale' });
    expect(await deliveries.find(ref)).toMatchObject({
      state: 'delivered',
      attempts: [
        { attempt: 1, status: null, durationMs: 20_000, error: 'lost', response: null },
        { attempt: 2, startedAtMs: clock.nowMs(), status: 200, durationMs: 12, error: null },
      ],
    });
    expect(await deliveries.start(starting(ref))).toEqual({ outcome: 'over' });
    expect(await deliveries.countPending()).toBe(0);
  });

  it('ends in poison if it kills every process that makes it', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    await deliveries.publish(newMessage('m1'));
    const ref = deliveryTo('wh_1', 'm1');
    const outcomes = [];
    for (let nth = 0; nth < 4; nth += 1) {
      outcomes.push((await deliveries.start(starting(ref, { maxLostAttempts: 3 }))).outcome);
      clock.advance(20_000);
    }
    expect(outcomes).toEqual(['started', 'started', 'started', 'poisoned']);
    expect(await deliveries.find(ref)).toMatchObject({ state: 'dead', deadReason: 'poison' });
  });

  it('waits for room as long as that may take at worst, and is woken when there is some', async () => {
    const { webhooks, deliveries } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    for (const id of ['m1', 'm2', 'm3', 'm4']) await deliveries.publish(newMessage(id));
    const start = (id: string) =>
      deliveries.start(starting(deliveryTo('wh_1', id), { maxInFlight: 1 }));
    await start('m1');
    expect(await start('m2')).toEqual({
      outcome: 'deferred',
      delayMs: 20_000,
      reason: 'in_flight',
      next: null,
    });
    expect(await start('m4')).toEqual({
      outcome: 'deferred',
      delayMs: 60_000,
      reason: 'in_flight',
      next: null,
    });
    const ended = await deliveries.finish(
      finishing(deliveryTo('wh_1', 'm1'), 1, DELIVERED, { maxInFlight: 1 }),
    );
    expect(ended).toMatchObject({ next: { ...deliveryTo('wh_1', 'm2'), run: 1, delayMs: 0 } });
  });

  it('is woken instead of a retry that is forgotten, by a start that is deferred', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    const ref = (id: string) => deliveryTo('wh_1', id);
    const start = (id: string) => deliveries.start(starting(ref(id), { maxInFlight: 3 }));
    const finish = (id: string, verdict: Verdict) =>
      deliveries.finish(finishing(ref(id), 1, verdict, { maxInFlight: 3 }));
    for (const id of ['r1', 'r2', 'f1', 'f2', 'f3', 'm1', 'm2', 'm3', 'm4']) {
      await deliveries.publish(newMessage(id, id === 'r2' ? { retentionMs: 1_000 } : {}));
    }
    for (const id of ['r1', 'r2']) {
      await start(id);
      await finish(id, retryAfter(0));
    }
    for (const id of ['f1', 'f2', 'f3']) await start(id);
    await start('r1');
    // It is not parked from here on, and before the other retry, which is not the head of its line.
    expect(await finish('f1', DELIVERED)).toMatchObject({ next: ref('r1') });
    for (const id of ['r2', 'm2']) {
      expect(await start(id)).toMatchObject({ reason: 'in_flight', next: null });
    }
    // By then all attempts in flight are lost.
    clock.advance(20_000);
    expect(await start('m3')).toMatchObject({ reason: 'in_flight', next: ref('r1') });
    expect(await start('m4')).toMatchObject({ reason: 'in_flight', next: ref('m2') });
  });

  it('is woken instead of a hundred that are forgotten, but not of more at once', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 5_000 }), LIMITS);
    const ref = (id: string) => deliveryTo('wh_1', id);
    const start = (id: string) => deliveries.start(starting(ref(id), { maxInFlight: 2 }));
    const finish = (id: string) =>
      deliveries.finish(finishing(ref(id), 1, DELIVERED, { maxInFlight: 2 }));
    const forgotten = Array.from({ length: 120 }, (_, nth) => `f${nth}`);
    for (const id of ['m1', 'm2', ...forgotten, 'm3']) {
      const retentionMs = forgotten.includes(id) ? { retentionMs: 1_000 } : {};
      await deliveries.publish(newMessage(id, retentionMs));
      await start(id);
    }
    clock.advance(1_000);
    expect(await finish('m1')).toMatchObject({ next: null });
    expect(await finish('m2')).toMatchObject({ next: ref('m3') });
  });
});
