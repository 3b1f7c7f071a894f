import assert from 'node:assert/strict';
import type { DeliveryStore, ScheduledDelivery } from '@latchhook/core';
import type { Suite } from '../../suite.ts';
import {
  attempt,
  deferralOf,
  finish,
  idsOf,
  publish,
  publishMany,
  register,
  reschedule,
  start,
} from '../../webhook-actions.ts';
import {
  DELIVERED,
  deliveryTo,
  GONE,
  newWebhook,
  POLICY,
  retryAfter,
  SECOND_MS,
  starting,
} from '../../webhook-samples.ts';
import type { WebhookTrial } from '../../webhook-trial.ts';

const ROOM = { maxInFlight: 3 };

/** A client changes limits, and enables, as often as it likes: what that wakes in vain is at the expense of all others. */
export const deliverySleepers: Suite<WebhookTrial> = {
  name: 'deliveries: asleep until there is room',
  claims: {
    'sleep on while others are told anew, and hide none of them': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 5, rateLimitPeriod: 'minute' });
      for (const retry of await publishMany(deliveries, 2)) {
        await attempt(deliveries, retry, retryAfter(0));
      }
      for (const id of ['a1', 'a2', 'a3']) {
        await publish(deliveries, id);
        await start(deliveries, deliveryTo(ref, id), ROOM);
      }
      const asleep = ['s1', 's2', 's3', 'forgotten 1', 'forgotten 2', 's4', 's5'];
      for (const id of [...asleep.slice(0, -1), 'awake 1', ...asleep.slice(-1), 'awake 2']) {
        await publish(deliveries, id, id.startsWith('f') ? { retentionMs: SECOND_MS } : {});
      }
      // Of those that are awake all wait for the rate alone.
      const roomForOne = { maxInFlight: ROOM.maxInFlight + 1 };
      const awake = await deliveries.start(starting(deliveryTo(ref, 'm1'), roomForOne));
      assert.equal(deferralOf(awake).by, 'rate');
      for (const id of ['m2', ...asleep]) await fallAsleep(deliveries, id);
      clock.advance(SECOND_MS + 1);
      await webhooks.change(ref, { rateLimit: 3 });
      for (const limit of [1, 2, 10]) {
        const told = await reschedule(deliveries, ref, limit, roomForOne.maxInFlight);
        const woken = 'told others than those that are awake: see RescheduleRequest.maxInFlight';
        assert.deepEqual(idsOf(told), ['m1', 'awake 1', 'awake 2'], woken);
      }
    },

    'are joined by those whom a raised rate would have ask in vain, and are named in order':
      async ({ webhooks, deliveries }) => {
        const ref = await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
        const [first = assert.fail(), ...others] = await publishMany(deliveries, 12);
        await start(deliveries, first, ROOM);
        await webhooks.change(ref, { rateLimit: 7, rateLimitPeriod: 'second' });
        const told = await reschedule(deliveries, ref, 4, ROOM.maxInFlight);
        assert.deepEqual(idsOf(told), idsOf(others));
        const findRoom = told.slice(0, 2);
        assert.ok(findRoom.every(({ delayMs }) => delayMs === 0));
        for (const [nth, delivery] of told.entries()) {
          if (nth < findRoom.length) continue;
          const asked = deferralOf(await deliveries.start(starting(delivery, ROOM)));
          assert.equal(asked.by, nth < 6 ? 'in_flight' : 'rate');
          assert.equal(delivery.delayMs, asked.delayMs, 'told otherwise than by a start');
        }
        // Those that the rate keeps waiting are told by it again; those that sleep are told nothing.
        const again = await reschedule(deliveries, ref, 4, ROOM.maxInFlight);
        assert.deepEqual(idsOf(again), idsOf([...findRoom, ...told.slice(6)]));
        const named: (string | undefined)[] = [];
        for (const delivery of [first, ...told.slice(0, 6)]) {
          if (delivery !== first) await start(deliveries, delivery, ROOM);
          const { next } = await finish(deliveries, delivery, { attempt: 1 }, DELIVERED, ROOM);
          named.push(next?.deliveryId);
        }
        const asleep = told.slice(findRoom.length, 6);
        assert.deepEqual(named, [...idsOf(asleep), ...findRoom.map(() => undefined), undefined]);
      },

    'sleep on where the rate would have them ask again and again, behind a receiver that hangs':
      async ({ webhooks, deliveries }) => {
        const ref = await register(webhooks, 'w1', { rateLimit: 3 });
        await publishMany(deliveries, 12);
        for (const id of ['m1', 'm2', 'm3']) await start(deliveries, deliveryTo(ref, id), ROOM);
        for (let nth = 4; nth <= 12; nth += 1) {
          const delayMs = await fallAsleep(deliveries, `m${nth}`);
          assert.ok(delayMs >= POLICY.leaseMs, `is to ask again after ${delayMs} ms`);
        }
        // Who is named has to wait for the rate nevertheless.
        const ended = deliveryTo(ref, 'm2');
        const { next } = await finish(deliveries, ended, { attempt: 1 }, DELIVERED, ROOM);
        assert.equal(next?.deliveryId, 'm4');
        assert.ok((next?.delayMs ?? 0) >= SECOND_MS, 'named too early for the rate');
      },

    'are woken where those under way are lost by now': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2', 'm3', 'm4', 'm5']) await publish(deliveries, id);
      const lapsing = { ...ROOM, leaseMs: SECOND_MS };
      for (const id of ['m1', 'm2', 'm3']) await start(deliveries, deliveryTo(ref, id), lapsing);
      for (const id of ['m4', 'm5']) await fallAsleep(deliveries, id);
      assert.deepEqual(await reschedule(deliveries, ref, 10, ROOM.maxInFlight), []);
      clock.advance(SECOND_MS);
      const woken = await reschedule(deliveries, ref, 10, ROOM.maxInFlight);
      assert.deepEqual(idsOf(woken), ['m4', 'm5']);
    },

    'are woken, as many as find room, where nobody is under way who would name them': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      const scheduled = await publishMany(deliveries, 20);
      const retries = scheduled.slice(0, 5);
      const flying = scheduled.slice(5, 8);
      const firstTries = scheduled.slice(8);
      for (const retry of retries) await attempt(deliveries, retry, retryAfter(0));
      for (const delivery of flying) await start(deliveries, delivery, ROOM);
      for (const { deliveryId } of [...retries, ...firstTries]) {
        await fallAsleep(deliveries, deliveryId);
      }
      for (const [nth, delivery] of flying.entries()) {
        const verdict = nth === 0 ? GONE : DELIVERED;
        const { next } = await finish(deliveries, delivery, { attempt: 1 }, verdict, ROOM);
        assert.equal(next, null);
      }
      await webhooks.enable(ref);
      const woken = await reschedule(deliveries, ref, 10, ROOM.maxInFlight);
      // Who started last was at its first try: it is the turn of a retry, then of a first try, and so on.
      assert.deepEqual(idsOf(woken), idsOf([...retries.slice(0, 2), ...firstTries.slice(0, 1)]));
      assert.ok(woken.every(({ delayMs }) => delayMs === 0));
      const begin = async (delivery: ScheduledDelivery) => ({
        delivery,
        started: await start(deliveries, delivery, ROOM),
      });
      const begun: Awaited<ReturnType<typeof begin>>[] = [];
      for (const delivery of woken) begun.push(await begin(delivery));
      // Grows meanwhile: each that ends names another.
      for (const { delivery, started } of begun) {
        const { next } = await finish(deliveries, delivery, started, DELIVERED, ROOM);
        if (next !== null) begun.push(await begin(next));
      }
      assert.equal(begun.length, retries.length + firstTries.length);
    },
  },
};

async function fallAsleep(deliveries: DeliveryStore, id: string): Promise<number> {
  const asked = await deliveries.start(starting(deliveryTo(newWebhook('w1'), id), ROOM));
  const { by, delayMs } = deferralOf(asked);
  assert.equal(by, 'in_flight');
  return delayMs;
}
