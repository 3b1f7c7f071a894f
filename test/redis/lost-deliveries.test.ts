import { describe, expect, inject, it } from 'vitest';
import { watchRedis } from '../support/servers/watch-redis.ts';
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

describe('a lost delivery', () => {
  it('is found again, longest first, over all webhooks', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    for (const id of ['wh_1', 'wh_2']) {
      await webhooks.create(newWebhook(id, { event: `Contact.${id}` }), LIMITS);
    }
    await deliveries.publish(newMessage('m1', { event: 'Contact.wh_1' }));
    clock.advance(10);
    await deliveries.publish(newMessage('m2', { event: 'Contact.wh_2' }));
    clock.advance(10);
    await deliveries.publish(newMessage('m3', { event: 'Contact.wh_1' }));
    await deliveries.start(starting(deliveryTo('wh_2', 'm2'), { leaseMs: 6000 }));
    const late = () => deliveries.overdue({ graceMs: 30, limit: 10, putOffMs: 0 });
    expect(await late()).toEqual([]);
    clock.advance(30);
    expect(await deliveries.overdue({ graceMs: 30, limit: 1, putOffMs: 0 })).toEqual([
      { ...deliveryTo('wh_1', 'm1'), run: 1, delayMs: 0 },
    ]);
    clock.advance(1);
    expect((await late()).map(({ deliveryId }) => deliveryId)).toEqual(['m3']);
    clock.advance(5969);
    expect((await late()).map(({ deliveryId }) => deliveryId)).toEqual(['m1', 'm3', 'm2']);
    for (const [webhookId, id] of [
      ['wh_1', 'm1'],
      ['wh_1', 'm3'],
    ] as const) {
      await deliveries.start(starting(deliveryTo(webhookId, id)));
    }
    clock.advance(30);
    expect((await late()).map(({ deliveryId }) => deliveryId)).toEqual(['m2']);
    await webhooks.remove(newWebhook('wh_2'));
    clock.advance(30);
    expect(await late()).toEqual([]);
    expect(await deliveries.countPending()).toBe(2);
  });

  it('is found when its lease ends, even if its webhook was known to have nothing due until later', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    const late = async () => deliveries.overdue({ graceMs: 5_000, limit: 10, putOffMs: 0 });
    const webhook = newWebhook('wh_1', { rateLimit: 1, rateLimitPeriod: 'minute' });
    await webhooks.create(webhook, LIMITS);
    for (const id of ['m1', 'm2']) await deliveries.publish(newMessage(id));
    const [first, second] = [deliveryTo('wh_1', 'm1'), deliveryTo('wh_1', 'm2')];
    await deliveries.start(starting(first));
    await deliveries.finish(finishing(first, 1, DELIVERED));
    expect(await deliveries.start(starting(second))).toMatchObject({ reason: 'rate' });
    clock.advance(10_000);
    expect(await late()).toEqual([]);
    await webhooks.change(webhook, { rateLimit: 100 });
    await deliveries.start(starting(second, { leaseMs: 20_000 }));
    clock.advance(20_000);
    expect(await late()).toMatchObject([{ deliveryId: 'm2' }]);
  });

  it('is found behind attempts whose lease is about to end, however short the grace', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    for (let nth = 0; nth < 12; nth += 1) {
      // They are looked at in this order.
      const id = `wh_${10 + nth}`;
      await webhooks.create(newWebhook(id, { event: `Contact.${id}` }), LIMITS);
      await deliveries.publish(newMessage(`m${nth}`, { event: `Contact.${id}` }));
      if (nth < 10) await deliveries.start(starting(deliveryTo(id, `m${nth}`), { leaseMs: 5000 }));
    }
    clock.advance(4000);
    const overdue = await deliveries.overdue({ graceMs: 1000, limit: 4, putOffMs: 30_000 });
    expect(overdue.map(({ deliveryId }) => deliveryId).toSorted()).toEqual(['m10', 'm11']);
  });

  it('is found in time, even if everything else of its webhook is due later', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    const late = async () =>
      (await deliveries.overdue({ graceMs: 100, limit: 10, putOffMs: 0 })).map(
        ({ deliveryId }) => deliveryId,
      );
    const webhook = newWebhook('wh_1', { rateLimit: 2, rateLimitPeriod: 'minute' });
    await webhooks.create(webhook, LIMITS);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    const start = (id: string, maxInFlight = 1) =>
      deliveries.start(starting(deliveryTo('wh_1', id), { leaseMs: 30_000, maxInFlight }));
    await start('m1');
    expect(await start('m2')).toMatchObject({ reason: 'in_flight', delayMs: 30_000 });
    clock.advance(1000);
    expect(await late()).toEqual([]);
    await deliveries.publish(newMessage('m4'));
    // Due before the lease would end, and before the times that the others are scheduled for.
    await deliveries.finish(
      finishing(deliveryTo('wh_1', 'm1'), 1, retryAfter(0), { maxInFlight: 0 }),
    );
    clock.advance(1000);
    expect(await late()).toEqual(['m1']);

    for (const id of ['m2', 'm1']) await start(id);
    expect(await late()).toEqual([]);
    await webhooks.change(webhook, { rateLimit: 100 });
    // It starts sooner than it was scheduled, and so does the parked one that it wakes.
    expect(await start('m3', 10)).toMatchObject({ outcome: 'started', next: { deliveryId: 'm1' } });
    await deliveries.publish(newMessage('m5'));
    clock.advance(1000);
    expect(await late()).toEqual(['m1', 'm5']);
  });

  it('is found at the same cost, however long its backlog', async () => {
    const { webhooks, deliveries, clock, keyPrefix } = await openWebhookStores();
    const ids = Array.from({ length: 20 }, (_, nth) => `wh_${nth}`);
    for (const id of ids) await webhooks.create(newWebhook(id), LIMITS);
    const publish = async (id: string) => {
      await deliveries.publish(newMessage(id));
      clock.advance(1);
    };
    const commandsOfSweep = async (found: number): Promise<number> => {
      const commandsSeen = await watchRedis(inject('redisUrl'));
      const request = { graceMs: 0, limit: 20, putOffMs: 1000 };
      expect(await deliveries.overdue(request)).toHaveLength(found);
      return (await commandsSeen()).filter(({ words }) => words[1]?.startsWith(keyPrefix)).length;
    };
    await publish('m0');
    const withoutBacklog = await commandsOfSweep(20);
    // What was returned is not looked at again until it is late again.
    expect(await commandsOfSweep(0)).toBe(1);
    clock.advance(1000);
    for (let nth = 1; nth < 30; nth += 1) await publish(`m${nth}`);
    expect(await commandsOfSweep(20)).toBeLessThanOrEqual(withoutBacklog);
  });

  it('is not returned again once it was asked for without its message, and blocks no other', async () => {
    const { webhooks, deliveries, clock, redis, keyPrefix } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    const start = (id: string) =>
      deliveries.start(starting(deliveryTo('wh_1', id), { maxInFlight: 1, leaseMs: 6000 }));
    const late = async () => {
      const overdue = await deliveries.overdue({ graceMs: 0, limit: 10, putOffMs: 0 });
      return overdue.map(({ deliveryId }) => deliveryId).toSorted();
    };
    for (const id of ['in flight', 'parked', 'last']) await deliveries.publish(newMessage(id));
    await start('in flight');
    expect(await start('parked')).toMatchObject({ reason: 'in_flight' });
    for (const id of ['in flight', 'parked']) {
      expect(await redis.del(`${keyPrefix}:{webhooks}:message:7/${id}`)).toBe(1);
    }
    clock.advance(30_000);
    expect(await late()).toEqual(['in flight', 'last', 'parked']);
    for (const id of ['in flight', 'parked']) {
      expect(await start(id)).toMatchObject({ outcome: 'over' });
      expect(await deliveries.find(deliveryTo('wh_1', id))).toBeNull();
    }
    expect(await late()).toEqual(['last']);
    expect(await deliveries.countPending()).toBe(1);
    expect(await start('last')).toMatchObject({ outcome: 'started', next: null });
  });

  it('wakes who is parked behind it, where it starts without its message', async () => {
    const { webhooks, deliveries, clock, redis, keyPrefix } = await openWebhookStores();
    const webhook = newWebhook('wh_1', { rateLimit: 1 });
    await webhooks.create(webhook, LIMITS);
    const start = (id: string) =>
      deliveries.start(starting(deliveryTo('wh_1', id), { maxInFlight: 1, leaseMs: 60_000 }));
    for (const id of ['in flight', 'lost', 'parked']) await deliveries.publish(newMessage(id));
    await start('in flight');
    for (const id of ['lost', 'parked']) {
      expect(await start(id)).toMatchObject({ reason: 'in_flight', next: null });
    }
    await redis.del(`${keyPrefix}:{webhooks}:message:7/lost`);
    clock.advance(1000);
    const first = deliveryTo('wh_1', 'in flight');
    expect(
      await deliveries.finish(finishing(first, 1, DELIVERED, { maxInFlight: 1 })),
    ).toMatchObject({ next: { deliveryId: 'lost' } });
    const parked = { ...deliveryTo('wh_1', 'parked'), run: 1, delayMs: 0 };
    expect(await start('lost')).toEqual({ outcome: 'over', next: parked });
    expect(await start('parked')).toMatchObject({ outcome: 'started', next: null });
  });

  it('is sent again, the oldest first, and no faster than the rate', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    const webhook = newWebhook('wh_1', { rateLimit: 2 });
    await webhooks.create(webhook, LIMITS);
    for (const id of ['m1', 'm2', 'm3', 'm4', 'm5']) {
      clock.advance(1000);
      await deliveries.publish(newMessage(id));
      await deliveries.start(starting(deliveryTo('wh_1', id)));
      const verdict = { kind: 'dead', reason: 'exhausted' } as const;
      await deliveries.finish(finishing(deliveryTo('wh_1', id), 1, verdict));
    }
    const sinceMs = clock.nowMs() - 3000;
    clock.advance(1000);
    const recovered = await deliveries.recover(webhook, { sinceMs, limit: 3 });
    expect(recovered?.scheduled).toEqual([
      { ...deliveryTo('wh_1', 'm2'), run: 2, delayMs: 0 },
      { ...deliveryTo('wh_1', 'm3'), run: 2, delayMs: 0 },
      { ...deliveryTo('wh_1', 'm4'), run: 2, delayMs: 1000 },
    ]);
    expect(recovered?.more).toBe(true);
    expect(await deliveries.recover(webhook, { sinceMs, limit: 3 })).toEqual({
      scheduled: [{ ...deliveryTo('wh_1', 'm5'), run: 2, delayMs: 1500 }],
      count: 1,
      more: false,
    });
    expect(await deliveries.start(starting(deliveryTo('wh_1', 'm2')))).toEqual({ outcome: 'over' });
    expect(await deliveries.resend(deliveryTo('wh_1', 'm1'))).toMatchObject({
      scheduled: { run: 2, delayMs: 2000 },
    });
    expect(await deliveries.resend(deliveryTo('wh_1', 'm1'))).toEqual({ outcome: 'under_way' });
    const again = await deliveries.start(starting(deliveryTo('wh_1', 'm2'), { run: 2 }));
    expect(again).toMatchObject({ outcome: 'started', attempt: 2, triesBefore: 0 });
  });
});
