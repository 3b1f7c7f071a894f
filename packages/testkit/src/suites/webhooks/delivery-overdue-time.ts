import assert from 'node:assert/strict';
import { type DeliveryStore, LEASE_SLACK_MS } from '@latchhook/core/storage';
import { idsOf } from '../../actions/delivery-records.ts';
import {
  deferralOf,
  deliver,
  disable,
  giveUp,
  makeAttempt,
  start,
} from '../../actions/make-attempt.ts';
import { publishMany, queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import { DELIVERED, retryAfter, starting } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const GRACE_MS = 60_000;
const LEASE_MS = 10_000;

export const deliveryOverdueTime: Suite<WebhookTrial> = {
  name: 'deliveries: when they are overdue',
  claims: {
    'are overdue if no engine asked for them in time': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      const queued = await queue(deliveries, ref, 'queued');
      const waiting = await queue(deliveries, ref, 'waiting');
      await makeAttempt(deliveries, waiting, retryAfter(5000));
      clock.advance(GRACE_MS - 1);
      assert.deepEqual(await overdueIds(deliveries), []);
      clock.advance(2);
      const request = { graceMs: GRACE_MS, limit: 10, putOffMs: 0 };
      assert.deepEqual(await deliveries.overdue(request), [{ ...queued, run: 1, delayMs: 0 }]);
      clock.advance(GRACE_MS + 1);
      assert.deepEqual(await overdueIds(deliveries), ['waiting', 'queued']);
      await start(deliveries, queued, { leaseMs: 10 * GRACE_MS });
      clock.advance(GRACE_MS + 1);
      assert.deepEqual(await overdueIds(deliveries), ['waiting']);
    },

    'are overdue when their process died, counted from before the end of the lease': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'), 'm1');
      await start(deliveries, delivery, { leaseMs: LEASE_MS });
      clock.advance(LEASE_MS - LEASE_SLACK_MS + GRACE_MS - 1);
      assert.deepEqual(await overdueIds(deliveries), []);
      clock.advance(2);
      assert.deepEqual(await overdueIds(deliveries), ['m1']);
      assert.equal((await start(deliveries, delivery)).attempt, 2);
    },

    'are overdue from the moment that the lease is over, and not before': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (const graceMs of [LEASE_SLACK_MS, 0]) {
        const delivery = await queue(deliveries, ref, `m${graceMs}`);
        await start(deliveries, delivery, { leaseMs: LEASE_MS });
        clock.advance(LEASE_MS - 1);
        assert.deepEqual(await overdueIds(deliveries, graceMs), []);
        clock.advance(1);
        assert.deepEqual(await overdueIds(deliveries, graceMs), [delivery.deliveryId]);
        await makeAttempt(deliveries, delivery, DELIVERED);
      }
    },

    'are not overdue before they are to start': async ({ webhooks, deliveries, clock }) => {
      await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
      const [first, second, third] = await publishMany(deliveries, 3);
      assert.ok(first !== undefined && second !== undefined && third !== undefined);
      await makeAttempt(deliveries, first, DELIVERED);
      const { delayMs } = deferralOf(await deliveries.start(starting(second)));
      clock.advance(delayMs - 1);
      assert.deepEqual(await overdueIds(deliveries, 0), []);
      clock.advance(2);
      assert.deepEqual(await overdueIds(deliveries, 0), ['m2']);
      clock.advance(third.delayMs);
      assert.deepEqual(await overdueIds(deliveries, 0), ['m2', 'm3']);
    },

    'are returned most overdue first, and no more than were asked for': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const refs = [await register(webhooks, 'w1'), await register(webhooks, 'w2')];
      for (let nth = 0; nth < 6; nth += 1) {
        const ref = refs[nth % 2];
        if (ref !== undefined) await queue(deliveries, ref, `m${nth}`);
        clock.advance(10);
      }
      clock.advance(GRACE_MS);
      const some = await deliveries.overdue({ graceMs: GRACE_MS, limit: 4, putOffMs: 0 });
      assert.deepEqual(idsOf(some), ['m0', 'm1', 'm2', 'm3']);
    },

    'are not overdue if nothing is to start': async ({ webhooks, deliveries, clock }) => {
      const [well, gone] = [await register(webhooks, 'w1'), await register(webhooks, 'w2')];
      await deliver(deliveries, well, 'delivered');
      await giveUp(deliveries, well, 'dead');
      await disable(deliveries, gone);
      await queue(deliveries, gone, 'held');
      clock.advance(2 * GRACE_MS);
      assert.deepEqual(await overdueIds(deliveries), []);
    },
  },
};

async function overdueIds(
  deliveries: DeliveryStore,
  graceMs: number = GRACE_MS,
): Promise<readonly string[]> {
  return idsOf(await deliveries.overdue({ graceMs, limit: 100, putOffMs: 0 }));
}
