import assert from 'node:assert/strict';
import { assertState, recordOf } from '../../actions/delivery-records.ts';
import { deferralOf, disable, finish, start } from '../../actions/make-attempt.ts';
import { publishMany, queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import {
  LATE_MS,
  withdrawAndDefer,
  withdrawAndStart,
  withdrawing,
} from '../../actions/withdraw-attempt.ts';
import {
  DELIVERED,
  deliveryTo,
  finishing,
  POLICY,
  SECOND_MS,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const WINDOW_MS = SECOND_MS + POLICY.rateMarginMs;

/** Attempts that were admitted, but learned of it too late to begin. */
export const deliveryWithdrawn: Suite<WebhookTrial> = {
  name: 'deliveries: withdrawn attempts',
  claims: {
    'are as if they had never started': async ({ webhooks, deliveries, clock }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const late = await start(deliveries, delivery);
      clock.advance(LATE_MS);
      const next = await start(deliveries, delivery, withdrawing(late));
      assert.deepEqual(next, { ...late, startedAtMs: late.startedAtMs + LATE_MS });
      await finish(deliveries, delivery, next, DELIVERED);
      const { attempts } = await recordOf(deliveries, delivery);
      const logged = attempts.map(({ attempt, startedAtMs }) => [attempt, startedAtMs]);
      assert.deepEqual(logged, [[1, next.startedAtMs]]);
    },

    'do not count towards the rate': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 3 });
      await publishMany(deliveries, 6);
      const late = await start(deliveries, deliveryTo(ref, 'm1'));
      clock.advance(100);
      for (const id of ['m2', 'm3']) await start(deliveries, deliveryTo(ref, id));
      clock.advance(LATE_MS);
      await start(deliveries, deliveryTo(ref, 'm1'), withdrawing(late));
      // Three starts count: two from after 100 ms, and one from now.
      const m4 = starting(deliveryTo(ref, 'm4'));
      assert.equal(deferralOf(await deliveries.start(m4)).delayMs, WINDOW_MS - LATE_MS);
      clock.advance(WINDOW_MS - LATE_MS);
      for (const id of ['m4', 'm5']) await start(deliveries, deliveryTo(ref, id));
      const m6 = starting(deliveryTo(ref, 'm6'));
      assert.equal(deferralOf(await deliveries.start(m6)).delayMs, LATE_MS);
      clock.advance(LATE_MS);
      await start(deliveries, deliveryTo(ref, 'm6'));
    },

    'remove no other start of the same millisecond': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 2 });
      await publishMany(deliveries, 3);
      const late = await start(deliveries, deliveryTo(ref, 'm1'));
      await start(deliveries, deliveryTo(ref, 'm2'));
      clock.advance(LATE_MS);
      await start(deliveries, deliveryTo(ref, 'm1'), withdrawing(late));
      const m3 = starting(deliveryTo(ref, 'm3'));
      assert.equal(deferralOf(await deliveries.start(m3)).delayMs, WINDOW_MS - LATE_MS);
    },

    'take no room, not even their own': async ({ webhooks, deliveries, clock }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const one = { maxInFlight: 1 };
      const late = await start(deliveries, delivery, one);
      clock.advance(LATE_MS);
      await start(deliveries, delivery, { ...one, ...withdrawing(late) });
    },

    'are not lost, even if their lease is over': async ({ webhooks, deliveries, clock }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const late = await start(deliveries, delivery);
      clock.advance(POLICY.leaseMs);
      assert.equal((await start(deliveries, delivery, withdrawing(late))).attempt, 1);
      assert.deepEqual((await recordOf(deliveries, delivery)).attempts, []);
    },

    'are held if the webhook was disabled meanwhile': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      const delivery = await queue(deliveries, ref);
      const late = await start(deliveries, delivery);
      await disable(deliveries, ref);
      clock.advance(LATE_MS);
      assert.deepEqual(await withdrawAndStart(deliveries, delivery, late), { outcome: 'held' });
      await assertState(deliveries, delivery, 'held');
      await webhooks.enable(ref);
      await deliveries.release(ref, { limit: 1 });
      await assertState(deliveries, delivery, 'queued');
    },

    'cannot be ended': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      await publishMany(deliveries, 2);
      const late = await start(deliveries, deliveryTo(ref, 'm1'));
      clock.advance(WINDOW_MS);
      await start(deliveries, deliveryTo(ref, 'm2'));
      await withdrawAndDefer(deliveries, deliveryTo(ref, 'm1'), late);
      const end = finishing(deliveryTo(ref, 'm1'), late.attempt, DELIVERED);
      assert.deepEqual(await deliveries.finish(end), { outcome: 'stale' });
    },

    'are left alone once they were lost, and another has begun': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const late = await start(deliveries, delivery);
      clock.advance(POLICY.leaseMs);
      const next = await start(deliveries, delivery);
      assert.equal((await withdrawAndDefer(deliveries, delivery, late)).reason, 'sending');
      await finish(deliveries, delivery, next, DELIVERED);
      assert.deepEqual(await withdrawAndStart(deliveries, delivery, late), { outcome: 'over' });
    },
  },
};
