import assert from 'node:assert/strict';
import type { ScheduledDelivery } from '@latchhook/core/storage';
import { idsOf } from '../../actions/delivery-records.ts';
import { finish, makeAttempt, park, start } from '../../actions/make-attempt.ts';
import { publish, publishMany } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import { reschedule } from '../../actions/reschedule.ts';
import {
  DELIVERED,
  deliveryTo,
  GONE,
  retryAfter,
  SECOND_MS,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const ROOM = { maxInFlight: 3 };

/** Who starts next: whatever ends or starts an attempt says so, as a parked delivery does not ask by itself. */
export const deliveryWaking: Suite<WebhookTrial> = {
  name: 'deliveries: woken once there is room',
  claims: {
    'are woken by a start of the other line too': async ({ webhooks, deliveries }) => {
      await register(webhooks, 'w1');
      const [retry = assert.fail(), inFlight = assert.fail(), , woken = assert.fail()] =
        await publishMany(deliveries, 5);
      await makeAttempt(deliveries, retry, retryAfter(0));
      const one = { maxInFlight: 1 };
      await start(deliveries, inFlight, one);
      for (const delivery of [retry, woken]) await park(deliveries, delivery, one);
      const { next } = await start(deliveries, retry, { maxInFlight: 4 });
      assert.deepEqual(next, { ...woken, delayMs: 0 });
    },

    'are woken by one another as they start, until all room is used': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      const [ending = assert.fail(), ...others] = await publishMany(deliveries, 12);
      const lapsing = others.slice(0, 2);
      const parked = others.slice(2);
      for (const delivery of [ending, ...lapsing]) {
        const leaseMs = delivery === ending ? 10 * SECOND_MS : SECOND_MS;
        assert.equal((await start(deliveries, delivery, { ...ROOM, leaseMs })).next, null);
      }
      for (const delivery of parked) await park(deliveries, delivery, ROOM);
      clock.advance(SECOND_MS);
      // All attempts but one are lost with their processes, and wake no delivery.
      let { next } = await finish(deliveries, ending, { attempt: 1 }, DELIVERED, ROOM);
      const woken: (string | undefined)[] = [];
      for (let nth = 0; nth < ROOM.maxInFlight; nth += 1) {
        if (next === null) break;
        woken.push(next.deliveryId);
        ({ next } = await start(deliveries, next, ROOM));
      }
      assert.deepEqual(woken, idsOf(parked.slice(0, ROOM.maxInFlight)));
      assert.equal(next, null, 'woken though there is no room');
    },

    'are woken if the attempts in flight are lost': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2', 'm3', 'm4', 'm5']) await publish(deliveries, id);
      const lapsing = { ...ROOM, leaseMs: SECOND_MS };
      for (const id of ['m1', 'm2', 'm3']) await start(deliveries, deliveryTo(ref, id), lapsing);
      for (const id of ['m4', 'm5']) await park(deliveries, deliveryTo(ref, id), ROOM);
      assert.deepEqual(await reschedule(deliveries, ref, 10, ROOM.maxInFlight), []);
      clock.advance(SECOND_MS);
      const woken = await reschedule(deliveries, ref, 10, ROOM.maxInFlight);
      assert.deepEqual(idsOf(woken), ['m4', 'm5']);
    },

    'are woken, as many as there is room for, if no attempt in flight would wake them': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      const scheduled = await publishMany(deliveries, 20);
      const retries = scheduled.slice(0, 5);
      const inFlight = scheduled.slice(5, 8);
      const firstTries = scheduled.slice(8);
      for (const retry of retries) await makeAttempt(deliveries, retry, retryAfter(0));
      for (const delivery of inFlight) await start(deliveries, delivery, ROOM);
      for (const delivery of [...retries, ...firstTries]) await park(deliveries, delivery, ROOM);
      for (const [nth, delivery] of inFlight.entries()) {
        const verdict = nth === 0 ? GONE : DELIVERED;
        const { next } = await finish(deliveries, delivery, { attempt: 1 }, verdict, ROOM);
        assert.equal(next, null);
      }
      await webhooks.enable(ref);
      const woken = await reschedule(deliveries, ref, 10, ROOM.maxInFlight);
      // A first try started last, so it is the turn of a retry, then of a first try, and so on.
      assert.deepEqual(idsOf(woken), idsOf([...retries.slice(0, 2), ...firstTries.slice(0, 1)]));
      assert.ok(woken.every(({ delayMs }) => delayMs === 0));
      const begin = async (delivery: ScheduledDelivery) => ({
        delivery,
        started: await start(deliveries, delivery, ROOM),
      });
      const begun: Awaited<ReturnType<typeof begin>>[] = [];
      for (const delivery of woken) begun.push(await begin(delivery));
      // `begun` grows meanwhile: each attempt that ends wakes another delivery.
      for (const { delivery, started } of begun) {
        const { next } = await finish(deliveries, delivery, started, DELIVERED, ROOM);
        if (next !== null) begun.push(await begin(next));
      }
      assert.equal(begun.length, retries.length + firstTries.length);
    },

    'are also woken by a deferred start, if there is room': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      const one = { maxInFlight: 1 };
      const [m1 = assert.fail(), m2 = assert.fail(), m3 = assert.fail(), m4 = assert.fail()] =
        await publishMany(deliveries, 4);
      await start(deliveries, m1, one);
      for (const delivery of [m2, m3, m4]) {
        assert.equal((await park(deliveries, delivery, one)).next, null);
      }
      const { next } = await finish(deliveries, m1, { attempt: 1 }, DELIVERED, one);
      assert.deepEqual(next, { ...m2, delayMs: 0 });
      // `m2`, which was woken, expires before it asks.
      await publish(deliveries, 'm5', { maxQueued: 3 });
      const deferral = await park(deliveries, deliveryTo(ref, 'm5'), one);
      assert.deepEqual(deferral.next, { ...m3, delayMs: 0 });
      await start(deliveries, m3, one);
    },
  },
};
