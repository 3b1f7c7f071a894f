import assert from 'node:assert/strict';
import { REWAKE_AFTER_MS, type ScheduledDelivery } from '@latchhook/core/storage';
import { idsOf } from '../../actions/delivery-records.ts';
import { deferralOf, finish, makeAttempt, park, start } from '../../actions/make-attempt.ts';
import { publish, publishMany, queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import { reschedule } from '../../actions/reschedule.ts';
import {
  DELIVERED,
  deliveryTo,
  POLICY,
  retryAfter,
  SECOND_MS,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const ROOM = { maxInFlight: 3 };
const SEE = 'see DeliveryStore.reschedule';

/** A client may change limits, and enable, as often as it likes: what that wakes in vain is at all others' expense. */
export const deliveryParked: Suite<WebhookTrial> = {
  name: 'deliveries: parked until there is room',
  claims: {
    'stay parked while others are rescheduled, and hide none of them': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      for (const limit of [1, 2, 10]) {
        const ref = await register(webhooks, `w${limit}`);
        const queueAll = async (ids: readonly string[]) => {
          for (const id of ids) await queue(deliveries, ref, `${id} of ${limit}`);
        };
        await queueAll(['retry', 'a1', 'a2', 'a3']);
        const retry = deliveryTo(ref, `retry of ${limit}`);
        await makeAttempt(deliveries, retry, retryAfter(0));
        for (const id of ['a1', 'a2', 'a3']) {
          await start(deliveries, deliveryTo(ref, `${id} of ${limit}`), ROOM);
        }
        await queueAll(['s1', 's2', 's3']);
        const forgotten = ['f1', 'f2'].map((id) => deliveryTo(ref, `${id} of ${limit}`));
        for (const { deliveryId, webhookId } of forgotten) {
          await publish(deliveries, deliveryId, { webhookId, retentionMs: SECOND_MS });
        }
        await queueAll(['s4', 'free 1', 's5', 'free 2']);
        const parked = ['s1', 's2', 's3', 's4', 's5'].map((id) =>
          deliveryTo(ref, `${id} of ${limit}`),
        );
        for (const delivery of [retry, ...parked, ...forgotten]) {
          await park(deliveries, delivery, ROOM);
        }
        clock.advance(SECOND_MS + 1);
        const rescheduled = await reschedule(deliveries, ref, limit, ROOM.maxInFlight);
        const free = [`free 1 of ${limit}`, `free 2 of ${limit}`];
        assert.deepEqual(idsOf(rescheduled), free, `rescheduled others: ${SEE}`);
        const again = await reschedule(deliveries, ref, limit, ROOM.maxInFlight);
        assert.deepEqual(idsOf(again), [], `rescheduled such as have been parked by it: ${SEE}`);
      }
    },

    'are joined by deliveries that a raised rate would make ask too early, and are woken in order':
      async ({ webhooks, deliveries }) => {
        const ref = await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
        const [first = assert.fail(), ...others] = await publishMany(deliveries, 12);
        await start(deliveries, first, ROOM);
        await webhooks.change(ref, { rateLimit: 7, rateLimitPeriod: 'second' });
        const rescheduled = await reschedule(deliveries, ref, 4, ROOM.maxInFlight);
        assert.deepEqual(idsOf(rescheduled), idsOf(others));
        const findRoom = rescheduled.slice(0, 2);
        const parked = rescheduled.slice(2);
        assert.ok(findRoom.every(({ delayMs }) => delayMs === 0));
        for (const delivery of parked) {
          const { delayMs } = await park(deliveries, delivery, ROOM);
          assert.equal(delivery.delayMs, delayMs, 'scheduled otherwise than by a start');
        }
        const again = await reschedule(deliveries, ref, 4, ROOM.maxInFlight);
        assert.deepEqual(idsOf(again), idsOf(findRoom));
        const woken: ScheduledDelivery[] = [];
        for (const delivery of [first, ...rescheduled.slice(0, 6)]) {
          if (delivery !== first) await start(deliveries, delivery, ROOM);
          const { next } = await finish(deliveries, delivery, { attempt: 1 }, DELIVERED, ROOM);
          woken.push(next ?? assert.fail('nobody is woken'));
        }
        assert.deepEqual(idsOf(woken), idsOf(parked.slice(0, 7)));
        assert.deepEqual(
          woken.map(({ delayMs }) => delayMs === 0),
          [true, true, true, true, false, false, false],
          'woken for another time than the rate allows',
        );
      },

    'are parked behind others, even if those only wait for the rate': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
      const [first = assert.fail(), ...others] = await publishMany(deliveries, 20);
      await makeAttempt(deliveries, first, DELIVERED);
      for (const [rank, delivery] of others.entries()) {
        const deferral = deferralOf(await deliveries.start(starting(delivery, ROOM)));
        assert.equal(deferral.reason, rank < ROOM.maxInFlight ? 'rate' : 'in_flight');
        const least = rank * (60 * SECOND_MS) - SECOND_MS;
        assert.ok(deferral.delayMs >= least, `rank ${rank} is to ask before the rate can allow it`);
      }
      clock.advance(60 * SECOND_MS + POLICY.rateMarginMs);
      const [next = assert.fail(), , , woken = assert.fail()] = others;
      const ended = await start(deliveries, next, ROOM);
      const answer = await finish(deliveries, next, ended, DELIVERED, ROOM);
      assert.equal(answer.next?.deliveryId, woken.deliveryId);
    },

    'are not kept from their room by one that should have asked long ago': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      const [m1, m2, m3, ...parked] = await publishMany(deliveries, 12);
      if (m1 === undefined || m2 === undefined || m3 === undefined) assert.fail();
      const ask = async () => {
        const delivery = parked.shift() ?? assert.fail('nobody is left to ask');
        return deferralOf(await deliveries.start(starting(delivery, ROOM))).next;
      };
      assert.equal(await ask(), null);
      clock.advance(REWAKE_AFTER_MS - 1);
      assert.equal(await ask(), null, 'woken though it may be about to ask');
      clock.advance(1);
      assert.deepEqual(await ask(), { ...m1, delayMs: 0 });
      assert.equal(await ask(), null, 'woken over and over');
      clock.advance(REWAKE_AFTER_MS);
      const started = await start(deliveries, m3, { maxInFlight: 4 });
      assert.deepEqual(started.next, { ...m1, delayMs: 0 });
      clock.advance(REWAKE_AFTER_MS);
      const { next } = await finish(deliveries, m3, started, DELIVERED, ROOM);
      assert.deepEqual(next, { ...m1, delayMs: 0 }, 'parked ones are woken before it');
      // Now that it has begun, it is in nobody's way.
      await start(deliveries, m1, ROOM);
      assert.equal((await start(deliveries, m2, ROOM)).next?.deliveryId, 'm4');
    },

    'come after the delivery whose turn it is, of either line, if that is late': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      // The rate allows one start more than the four before a late delivery is woken.
      const ref = await register(webhooks, 'w1', { rateLimit: 5 });
      const [retry = assert.fail(), f1 = assert.fail(), f2, f3, m1 = assert.fail(), ...parked] =
        await publishMany(deliveries, 12);
      await makeAttempt(deliveries, retry, retryAfter(0));
      for (const delivery of [f1, f2, f3]) {
        await start(deliveries, delivery ?? assert.fail('too few were published'), ROOM);
      }
      await park(deliveries, retry, ROOM);
      const ended = await finish(deliveries, f1, { attempt: 1 }, DELIVERED, ROOM);
      assert.deepEqual(ended.next, { ...retry, delayMs: 0 });
      const [first = assert.fail(), other = assert.fail()] = parked;
      await park(deliveries, first, ROOM);
      clock.advance(REWAKE_AFTER_MS);
      const asked = deferralOf(await deliveries.start(starting(other, ROOM)));
      assert.deepEqual(asked.next, { ...retry, delayMs: 0 }, 'not the retry, after a first try');
      const roomier = { maxInFlight: ROOM.maxInFlight + 1 };
      const started = await start(deliveries, deliveryTo(ref, retry.deliveryId), roomier);
      assert.equal(started.next?.deliveryId, m1.deliveryId, 'not the first try, after a retry');
      assert.ok((started.next?.delayMs ?? 0) > 0, 'woken too early for the rate');
    },

    'stay parked behind a receiver that hangs, even if the rate alone would have them ask again and again':
      async ({ webhooks, deliveries }) => {
        const ref = await register(webhooks, 'w1', { rateLimit: 3 });
        await publishMany(deliveries, 12);
        for (const id of ['m1', 'm2', 'm3']) await start(deliveries, deliveryTo(ref, id), ROOM);
        for (let nth = 4; nth <= 12; nth += 1) {
          const { delayMs } = await park(deliveries, deliveryTo(ref, `m${nth}`), ROOM);
          assert.ok(
            delayMs >= POLICY.leaseMs,
            `asks again after ${delayMs} ms, while none of those in flight has ended: see "Parking" of DeliveryStore`,
          );
        }
        // A woken delivery has to wait for the rate all the same.
        const ended = deliveryTo(ref, 'm2');
        const { next } = await finish(deliveries, ended, { attempt: 1 }, DELIVERED, ROOM);
        assert.equal(next?.deliveryId, 'm4');
        assert.ok((next?.delayMs ?? 0) >= SECOND_MS, 'woken too early for the rate');
      },
  },
};
