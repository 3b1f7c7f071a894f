import assert from 'node:assert/strict';
import { recordOf } from '../../actions/delivery-records.ts';
import { deferralOf, finish, makeAttempt, start } from '../../actions/make-attempt.ts';
import { publish, queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import {
  DELIVERED,
  deliveryTo,
  finishing,
  POLICY,
  retryAfter,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const LEASE_MS = 10_000;

export const deliveryLost: Suite<WebhookTrial> = {
  name: 'deliveries: lost attempts',
  claims: {
    'are those whose lease is over, and cost no try': async ({ webhooks, deliveries, clock }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      await makeAttempt(deliveries, delivery, retryAfter(0));
      const lost = await start(deliveries, delivery, { leaseMs: LEASE_MS });
      clock.advance(LEASE_MS);
      const next = await start(deliveries, delivery);
      assert.deepEqual([next.attempt, next.triesBefore], [3, lost.triesBefore]);
      const { attempts } = await recordOf(deliveries, delivery);
      assert.equal(attempts.length, 2);
      const { durationMs, ...logged } = attempts[1] ?? assert.fail('the lost one is not logged');
      assert.ok(durationMs >= 0);
      assert.deepEqual(logged, {
        attempt: 2,
        startedAtMs: lost.startedAtMs,
        status: null,
        error: 'lost',
        response: null,
      });
    },

    'cannot be ended once another has begun': async ({ webhooks, deliveries, clock }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const lost = await start(deliveries, delivery, { leaseMs: LEASE_MS });
      clock.advance(LEASE_MS);
      const next = await start(deliveries, delivery);
      const late = finishing(delivery, lost.attempt, DELIVERED);
      assert.deepEqual(await deliveries.finish(late), { outcome: 'stale' });
      assert.equal((await recordOf(deliveries, delivery)).state, 'sending');
      await finish(deliveries, delivery, next, DELIVERED);
    },

    'take no room': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2']) await publish(deliveries, id);
      const one = { maxInFlight: 1, leaseMs: LEASE_MS };
      await start(deliveries, deliveryTo(ref, 'm1'), one);
      clock.advance(LEASE_MS - 1);
      const next = starting(deliveryTo(ref, 'm2'), one);
      assert.equal(deferralOf(await deliveries.start(next)).reason, 'in_flight');
      clock.advance(1);
      await start(deliveries, deliveryTo(ref, 'm2'), one);
    },

    'count towards the rate': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
      const delivery = await queue(deliveries, ref);
      await start(deliveries, delivery, { leaseMs: LEASE_MS });
      clock.advance(LEASE_MS);
      assert.equal(deferralOf(await deliveries.start(starting(delivery))).reason, 'rate');
      clock.advance(60_000 + POLICY.rateMarginMs - LEASE_MS);
      assert.equal((await start(deliveries, delivery)).attempt, 2);
    },

    'kill a delivery as poison once there were maxLostAttempts': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const poison = await queue(deliveries, ref, 'm1');
      const other = await queue(deliveries, ref, 'm2');
      const limits = { leaseMs: LEASE_MS, maxLostAttempts: 3 };
      for (let nth = 1; nth <= 3; nth += 1) {
        assert.equal((await start(deliveries, poison, limits)).attempt, nth);
        clock.advance(LEASE_MS);
      }
      const asked = await deliveries.start(starting(poison, limits));
      assert.deepEqual(asked, { outcome: 'poisoned', next: null });
      const { state, deadReason, attempts } = await recordOf(deliveries, poison);
      assert.deepEqual([state, deadReason, attempts.length], ['dead', 'poison', 3]);
      const again = await deliveries.start(starting(poison, limits));
      assert.deepEqual(again, { outcome: 'over' });
      await start(deliveries, other);
    },

    'are lost once, even if the rate makes the next one wait': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
      const delivery = await queue(deliveries, ref);
      const limits = { leaseMs: LEASE_MS, maxLostAttempts: 2 };
      await start(deliveries, delivery, limits);
      clock.advance(LEASE_MS);
      for (let nth = 0; nth < 3; nth += 1) {
        assert.equal(deferralOf(await deliveries.start(starting(delivery, limits))).reason, 'rate');
        const { state, attempts } = await recordOf(deliveries, delivery);
        assert.deepEqual([state, attempts.length], ['waiting', 1]);
      }
      clock.advance(60_000 + POLICY.rateMarginMs);
      assert.equal((await start(deliveries, delivery, limits)).attempt, 2);
    },

    'no longer count once the delivery is sent again': async ({ webhooks, deliveries, clock }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const limits = { leaseMs: LEASE_MS, maxLostAttempts: 2 };
      for (let nth = 0; nth < 2; nth += 1) {
        await start(deliveries, delivery, limits);
        clock.advance(LEASE_MS);
      }
      await deliveries.start(starting(delivery, limits));
      assert.equal((await deliveries.resend(delivery)).outcome, 'scheduled');
      const again = { ...delivery, run: 2 };
      await start(deliveries, again, limits);
      clock.advance(LEASE_MS);
      await start(deliveries, again, limits);
    },
  },
};
