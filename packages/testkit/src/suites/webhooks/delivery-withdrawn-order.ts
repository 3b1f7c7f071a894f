import assert from 'node:assert/strict';
import { assertState, recordOf } from '../../actions/delivery-records.ts';
import { deferralOf, makeAttempt, start } from '../../actions/make-attempt.ts';
import { publish, publishMany, queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import { LATE_MS, withdrawAndDefer, withdrawing } from '../../actions/withdraw-attempt.ts';
import {
  deliveryTo,
  POLICY,
  retryAfter,
  SECOND_MS,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const WINDOW_MS = SECOND_MS + POLICY.rateMarginMs;

/** Attempts that were admitted, but learned of it too late to begin. */
export const deliveryWithdrawnOrder: Suite<WebhookTrial> = {
  name: 'deliveries: withdrawn attempts in line',
  claims: {
    'are made later if the rate has no room, at their place in the order of publishing': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      await publishMany(deliveries, 3);
      const late = await start(deliveries, deliveryTo(ref, 'm1'));
      clock.advance(WINDOW_MS);
      await start(deliveries, deliveryTo(ref, 'm2'));
      clock.advance(100);
      const deferral = await withdrawAndDefer(deliveries, deliveryTo(ref, 'm1'), late);
      assert.deepEqual([deferral.reason, deferral.delayMs], ['rate', WINDOW_MS - 100]);
      const { state, attempts } = await recordOf(deliveries, deliveryTo(ref, 'm1'));
      assert.deepEqual([state, attempts], ['queued', []]);
      clock.advance(deferral.delayMs);
      const overdue = await deliveries.overdue({ graceMs: 0, limit: 10, putOffMs: 0 });
      assert.ok(overdue.some(({ deliveryId }) => deliveryId === 'm1'));
      assert.equal(
        deferralOf(await deliveries.start(starting(deliveryTo(ref, 'm3')))).reason,
        'rate',
      );
      assert.equal((await start(deliveries, deliveryTo(ref, 'm1'))).attempt, 1);
    },

    'wait as retries if they were retries': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      const delivery = await queue(deliveries, ref);
      await makeAttempt(deliveries, delivery, retryAfter(0));
      clock.advance(WINDOW_MS);
      const late = await start(deliveries, delivery);
      clock.advance(WINDOW_MS);
      await publish(deliveries, 'm2');
      await start(deliveries, deliveryTo(ref, 'm2'));
      const deferral = await withdrawAndDefer(deliveries, delivery, late);
      assert.deepEqual([deferral.reason, deferral.delayMs], ['rate', WINDOW_MS]);
      const { state, attempts } = await recordOf(deliveries, delivery);
      assert.deepEqual([state, attempts.length], ['waiting', 1]);
      clock.advance(deferral.delayMs);
      const next = await start(deliveries, delivery);
      assert.deepEqual([next.attempt, next.triesBefore], [2, 1]);
    },

    'come after the retries that already wait': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      const [first, second] = [
        await queue(deliveries, ref, 'm1'),
        await queue(deliveries, ref, 'm2'),
      ];
      for (const retry of [first, second]) {
        await makeAttempt(deliveries, retry, retryAfter(0));
        clock.advance(WINDOW_MS);
      }
      const late = await start(deliveries, first);
      assert.equal(deferralOf(await deliveries.start(starting(second))).reason, 'rate');
      clock.advance(WINDOW_MS);
      await start(deliveries, await queue(deliveries, ref, 'm3'));
      const deferral = await withdrawAndDefer(deliveries, first, late);
      assert.deepEqual([deferral.reason, deferral.delayMs], ['rate', 2 * WINDOW_MS]);
    },

    'wait as retries if the delivery was sent again, even if it was never tried': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      const bounds = { maxQueued: 1 };
      for (const id of ['m1', 'm2']) await publish(deliveries, id, bounds);
      const expired = deliveryTo(ref, 'm1');
      assert.equal((await recordOf(deliveries, expired)).deadReason, 'expired');
      await deliveries.resend(expired);
      const again = { ...expired, run: 2 };
      const late = await start(deliveries, again);
      clock.advance(WINDOW_MS);
      await start(deliveries, deliveryTo(ref, 'm2'));
      await withdrawAndDefer(deliveries, again, late);
      await publish(deliveries, 'm3', bounds);
      await assertState(deliveries, expired, 'waiting');
    },

    'go before all that wait, since their turn had come': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 3 });
      const scheduled = await publishMany(deliveries, 3);
      for (const each of scheduled) await makeAttempt(deliveries, each, retryAfter(0));
      clock.advance(WINDOW_MS);
      const [first = assert.fail('nothing was published'), ...others] = scheduled;
      const late = await start(deliveries, first);
      await webhooks.change(ref, { rateLimit: 1 });
      for (const each of others) {
        assert.equal(deferralOf(await deliveries.start(starting(each))).reason, 'rate');
      }
      clock.advance(LATE_MS);
      const next = await start(deliveries, first, withdrawing(late));
      assert.deepEqual([next.attempt, next.triesBefore], [2, 1]);
    },
  },
};
