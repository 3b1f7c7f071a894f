import assert from 'node:assert/strict';
import type { DeliveryStore } from '@latchhook/core/storage';
import { assertState, idsOf, recordOf } from '../../actions/delivery-records.ts';
import { deferralOf, disable, finish, makeAttempt, start } from '../../actions/make-attempt.ts';
import { publish, queue } from '../../actions/publish.ts';
import { found, register } from '../../actions/register-webhook.ts';
import {
  DELIVERED,
  deliveryTo,
  POLICY,
  retryAfter,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const GRACE_MS = 60_000;
const LEASE_MS = 10_000;
const PUT_OFF_MS = 30_000;
const DUE_AGAIN_MS = PUT_OFF_MS + GRACE_MS;

export const deliveryOverdue: Suite<WebhookTrial> = {
  name: 'deliveries: put off once returned as overdue',
  claims: {
    'are returned again once putOffMs and graceMs have passed, and others meanwhile': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2', 'm3', 'm4', 'm5']) {
        await queue(deliveries, ref, id);
        clock.advance(10);
      }
      clock.advance(GRACE_MS);
      const pages = [];
      for (let nth = 0; nth < 4; nth += 1) {
        pages.push(await findOverdue(deliveries, 2));
        clock.advance(10);
      }
      assert.deepEqual(pages, [['m1', 'm2'], ['m3', 'm4'], ['m5'], []]);
      clock.advance(DUE_AGAIN_MS - 41);
      assert.deepEqual(await findOverdue(deliveries), []);
      clock.advance(2);
      // Those that were returned together are equally late.
      assert.deepEqual((await findOverdue(deliveries)).toSorted(), ['m1', 'm2']);
      clock.advance(30);
      assert.deepEqual((await findOverdue(deliveries)).toSorted(), ['m3', 'm4', 'm5']);
    },

    'are returned again while their sender is lost, whose attempt then counts as long as the lease':
      async ({ webhooks, deliveries, clock }) => {
        const delivery = await queue(deliveries, await register(webhooks, 'w1'));
        await start(deliveries, delivery, { leaseMs: LEASE_MS });
        clock.advance(LEASE_MS + GRACE_MS + 1);
        assert.deepEqual(await findOverdue(deliveries), ['m1']);
        assert.deepEqual(await findOverdue(deliveries), []);
        clock.advance(DUE_AGAIN_MS - 1);
        assert.deepEqual(await findOverdue(deliveries), []);
        clock.advance(2);
        assert.deepEqual(await findOverdue(deliveries), ['m1']);
        clock.advance(1000);
        assert.equal((await start(deliveries, delivery)).attempt, 2);
        const { attempts } = await recordOf(deliveries, delivery);
        assert.deepEqual(
          attempts.map(({ durationMs, error }) => [durationMs, error]),
          [[LEASE_MS, 'lost']],
        );
      },

    'are pending, and take no room, as before': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      await start(deliveries, await queue(deliveries, ref, 'm1'), { leaseMs: LEASE_MS });
      const waiting = await queue(deliveries, ref, 'm2');
      clock.advance(LEASE_MS + GRACE_MS + 1);
      assert.deepEqual(await findOverdue(deliveries), ['m2', 'm1']);
      assert.equal(await deliveries.countPending(), 2);
      await assertState(deliveries, deliveryTo(ref, 'm1'), 'sending');
      const alone = { maxInFlight: 1 };
      await start(deliveries, waiting, alone);
      const parked = await queue(deliveries, ref, 'm3');
      const park = async () => deferralOf(await deliveries.start(starting(parked, alone)));
      assert.equal((await park()).reason, 'in_flight');
      const roomForTwo = { ...POLICY, maxInFlight: 2, limit: 10, after: null };
      assert.deepEqual(idsOf(found(await deliveries.reschedule(ref, roomForTwo))), ['m3']);
      assert.equal((await park()).reason, 'in_flight');
      const { next } = await finish(deliveries, waiting, { attempt: 1 }, DELIVERED, alone);
      assert.equal(next?.deliveryId, 'm3');
      assert.equal(await deliveries.countPending(), 2);
    },

    'stay as late as they were when a changed rate reschedules them': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await queue(deliveries, ref, 'm1');
      clock.advance(GRACE_MS - 1);
      const request = { ...POLICY, limit: 10, after: null };
      const [rescheduled = assert.fail('none is rescheduled')] = found(
        await deliveries.reschedule(ref, request),
      );
      assert.equal(rescheduled.delayMs, 0);
      clock.advance(2);
      assert.deepEqual(await findOverdue(deliveries), ['m1']);
    },

    'may start at once': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      const [queued, waiting] = [
        await queue(deliveries, ref, 'm1'),
        await queue(deliveries, ref, 'm2'),
      ];
      await makeAttempt(deliveries, waiting, retryAfter(10));
      clock.advance(10 + GRACE_MS + 1);
      assert.deepEqual(await findOverdue(deliveries), ['m1', 'm2']);
      for (const delivery of [queued, waiting]) await makeAttempt(deliveries, delivery, DELIVERED);
    },

    'may still be ended by a sender that was taken for lost, and are then due by its verdict':
      async ({ webhooks, deliveries, clock }) => {
        const ref = await register(webhooks, 'w1');
        const ids = ['m1', 'm2'];
        for (const id of ids) {
          await start(deliveries, await queue(deliveries, ref, id), { leaseMs: LEASE_MS });
        }
        clock.advance(LEASE_MS + GRACE_MS + 1);
        assert.equal((await findOverdue(deliveries)).length, 2);
        await finish(deliveries, deliveryTo(ref, 'm1'), { attempt: 1 }, DELIVERED);
        await finish(deliveries, deliveryTo(ref, 'm2'), { attempt: 1 }, retryAfter(10));
        assert.equal(await deliveries.countPending(), 1);
        clock.advance(10 + GRACE_MS + 1);
        assert.deepEqual(await findOverdue(deliveries), ['m2']);
      },

    'are due when they are next scheduled': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      const bounds = { maxInFlight: 1, leaseMs: 2 * GRACE_MS };
      await start(deliveries, await queue(deliveries, ref, 'm1'), bounds);
      const delivery = await queue(deliveries, ref, 'm2');
      clock.advance(GRACE_MS + 1);
      assert.deepEqual(await findOverdue(deliveries, 10, 10 * DUE_AGAIN_MS), ['m2']);
      const deferral = deferralOf(await deliveries.start(starting(delivery, bounds)));
      assert.equal(deferral.reason, 'in_flight');
      await finish(deliveries, deliveryTo(ref, 'm1'), { attempt: 1 }, DELIVERED, {
        maxInFlight: 0,
      });
      clock.advance(deferral.delayMs + GRACE_MS - 1);
      assert.deepEqual(await findOverdue(deliveries), []);
      clock.advance(2);
      assert.deepEqual(await findOverdue(deliveries), ['m2']);
    },

    'are not returned again if nothing is to start': async ({ webhooks, deliveries, clock }) => {
      const [well, gone] = [await register(webhooks, 'w1'), await register(webhooks, 'w2')];
      const removed = await register(webhooks, 'w3');
      const lost = [await queue(deliveries, well, 'm1'), await queue(deliveries, gone, 'm2')];
      for (const delivery of lost) await start(deliveries, delivery, { leaseMs: LEASE_MS });
      const delivered = await queue(deliveries, well, 'm3');
      await queue(deliveries, gone, 'm4');
      await queue(deliveries, removed, 'm5');
      clock.advance(LEASE_MS + GRACE_MS + 1);
      assert.equal((await findOverdue(deliveries)).length, 5);

      await makeAttempt(deliveries, delivered, DELIVERED);
      const poison = starting(deliveryTo(well, 'm1'), { maxLostAttempts: 1 });
      assert.equal((await deliveries.start(poison)).outcome, 'poisoned');
      await disable(deliveries, gone);
      for (const id of ['m2', 'm4']) {
        const asked = await deliveries.start(starting(deliveryTo(gone, id)));
        assert.equal(asked.outcome, 'held');
      }
      await webhooks.remove(removed);
      assert.equal(await deliveries.countPending(), 0);
      clock.advance(DUE_AGAIN_MS + 1);
      assert.deepEqual(await findOverdue(deliveries), []);
    },

    'are listed with the time at which they are due again, except for those in flight': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2']) await publish(deliveries, id);
      await start(deliveries, deliveryTo(ref, 'm1'), { leaseMs: LEASE_MS });
      clock.advance(LEASE_MS + GRACE_MS + 1);
      assert.deepEqual(await findOverdue(deliveries), ['m2', 'm1']);
      const listed = await deliveries.list(ref, { limit: 10, after: null });
      const found = [
        await recordOf(deliveries, deliveryTo(ref, 'm2')),
        await recordOf(deliveries, deliveryTo(ref, 'm1')),
      ];
      for (const records of [listed, found]) {
        assert.deepEqual(
          records?.map(({ state, nextAttemptAtMs }) => [state, nextAttemptAtMs]),
          [
            ['queued', clock.nowMs() + PUT_OFF_MS],
            ['sending', null],
          ],
        );
      }
    },
  },
};

async function findOverdue(
  deliveries: DeliveryStore,
  limit: number = 100,
  putOffMs: number = PUT_OFF_MS,
): Promise<readonly string[]> {
  return idsOf(await deliveries.overdue({ graceMs: GRACE_MS, limit, putOffMs }));
}
