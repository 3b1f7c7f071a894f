import assert from 'node:assert/strict';
import type { DeliveryStore, WebhookRef } from '@latchhook/core/storage';
import { assertState } from '../../actions/delivery-records.ts';
import { deferralOf, finish, makeAttempt, park, start } from '../../actions/make-attempt.ts';
import { publish, publishMany, queue } from '../../actions/publish.ts';
import { found, register } from '../../actions/register-webhook.ts';
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

const WINDOW_MS = SECOND_MS + POLICY.rateMarginMs;
const ONE = { maxInFlight: 1 };
const FORGOTTEN_SOON = { retentionMs: SECOND_MS };

/** A store may delete what is forgotten whenever it likes. Until then nobody waits for it, or gives it room. */
export const deliveryForgotten: Suite<WebhookTrial> = {
  name: 'deliveries: behind forgotten ones',
  claims: {
    'do not wait for a retry that is already forgotten': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 3 });
      for (const id of ['m1', 'm2']) await publish(deliveries, id, FORGOTTEN_SOON);
      await publish(deliveries, 'm3');
      const retries = ['m1', 'm2', 'm3'].map((id) => deliveryTo(ref, id));
      for (const retry of retries) await makeAttempt(deliveries, retry, retryAfter(0));
      for (const retry of retries) {
        assert.equal(deferralOf(await deliveries.start(starting(retry))).reason, 'rate');
      }
      await webhooks.change(ref, { rateLimit: 1 });
      clock.advance(WINDOW_MS);
      await start(deliveries, deliveryTo(ref, 'm3'));
    },

    'first tries do not wait for a forgotten retry': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      const [retry, firstTry] = [deliveryTo(ref, 'm1'), deliveryTo(ref, 'm2')];
      await publish(deliveries, retry.deliveryId, FORGOTTEN_SOON);
      await makeAttempt(deliveries, retry, retryAfter(0));
      assert.equal(deferralOf(await deliveries.start(starting(retry))).reason, 'rate');
      await publish(deliveries, firstTry.deliveryId);
      clock.advance(WINDOW_MS);
      // A first try started last, so it would be the turn of the retry.
      await start(deliveries, firstTry);
    },

    'retries do not wait for a forgotten first try': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      const [last = assert.fail(), retry = assert.fail()] = await publishMany(deliveries, 2);
      for (const delivery of [last, retry]) await makeAttempt(deliveries, delivery, retryAfter(0));
      // A retry starts last, so it would be the turn of the first try.
      await start(deliveries, last);
      await webhooks.change(ref, { rateLimit: 1 });
      await publish(deliveries, 'm3', FORGOTTEN_SOON);
      clock.advance(WINDOW_MS);
      await start(deliveries, retry);
    },

    'retries do not wait behind a forgotten one': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 2 });
      await publish(deliveries, 'forgotten', FORGOTTEN_SOON);
      const forgotten = deliveryTo(ref, 'forgotten');
      const retry = await queue(deliveries, ref, 'm1');
      await makeAttempt(deliveries, forgotten, retryAfter(0));
      await makeAttempt(deliveries, retry, retryAfter(WINDOW_MS));
      assert.equal(deferralOf(await deliveries.start(starting(forgotten))).reason, 'rate');
      await webhooks.change(ref, { rateLimit: 1 });
      clock.advance(WINDOW_MS);
      await start(deliveries, retry);
    },

    'first tries are woken in place of a forgotten retry': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publish(deliveries, 'forgotten', FORGOTTEN_SOON);
      const forgotten = deliveryTo(ref, 'forgotten');
      await makeAttempt(deliveries, forgotten, retryAfter(0));
      const inFlight = await queue(deliveries, ref, 'm1');
      const firstTry = await queue(deliveries, ref, 'm2');
      const started = await start(deliveries, inFlight, ONE);
      for (const delivery of [forgotten, firstTry]) await park(deliveries, delivery, ONE);
      clock.advance(SECOND_MS + 1);
      const { next } = await finish(deliveries, inFlight, started, DELIVERED, ONE);
      assert.equal(next?.deliveryId, firstTry.deliveryId, 'nobody is woken');
      await start(deliveries, firstTry, ONE);
    },

    'retries are woken in place of a forgotten first try': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      const [inFlight = assert.fail(), retry = assert.fail()] = await publishMany(deliveries, 2);
      for (const delivery of [inFlight, retry])
        await makeAttempt(deliveries, delivery, retryAfter(0));
      const started = await start(deliveries, inFlight, ONE);
      await park(deliveries, retry, ONE);
      await publish(deliveries, 'forgotten', FORGOTTEN_SOON);
      clock.advance(SECOND_MS + 1);
      const { next } = await finish(deliveries, inFlight, started, DELIVERED, ONE);
      assert.equal(next?.deliveryId, retry.deliveryId, 'nobody is woken');
      await start(deliveries, retry, ONE);
    },

    'first tries are woken by a reschedule in place of a forgotten retry': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publish(deliveries, 'forgotten', FORGOTTEN_SOON);
      const forgotten = deliveryTo(ref, 'forgotten');
      await makeAttempt(deliveries, forgotten, retryAfter(0));
      const lost = await queue(deliveries, ref, 'm1');
      const firstTry = await queue(deliveries, ref, 'm2');
      await start(deliveries, lost, { ...ONE, leaseMs: SECOND_MS });
      for (const delivery of [forgotten, firstTry]) await park(deliveries, delivery, ONE);
      clock.advance(SECOND_MS + 1);
      assert.deepEqual(await wokenOf(deliveries, ref), [[firstTry.deliveryId, 0]]);
    },

    'retries are woken by a reschedule in place of a forgotten first try': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const [lost = assert.fail(), retry = assert.fail()] = await publishMany(deliveries, 2);
      for (const delivery of [lost, retry]) await makeAttempt(deliveries, delivery, retryAfter(0));
      await start(deliveries, lost, { ...ONE, leaseMs: SECOND_MS });
      await park(deliveries, retry, ONE);
      await publish(deliveries, 'forgotten', FORGOTTEN_SOON);
      clock.advance(SECOND_MS + 1);
      assert.deepEqual(await wokenOf(deliveries, ref), [[retry.deliveryId, 0]]);
    },

    'do not expire to make room for forgotten ones': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      // More than a store forgets at once.
      await publishMany(deliveries, 120, FORGOTTEN_SOON);
      const first = await queue(deliveries, ref, 'first');
      clock.advance(SECOND_MS + 1);
      await start(deliveries, first);
      for (const id of ['second', 'third']) await publish(deliveries, id, { maxQueued: 2 });
      for (const id of ['second', 'third']) {
        await assertState(deliveries, deliveryTo(ref, id), 'queued');
      }
    },
  },
};

/** What is rescheduled where there is room for one: ids and delays. */
async function wokenOf(deliveries: DeliveryStore, ref: WebhookRef) {
  const rescheduled = await deliveries.reschedule(ref, {
    ...POLICY,
    ...ONE,
    limit: 10,
    after: null,
  });
  return found(rescheduled).map(({ deliveryId, delayMs }) => [deliveryId, delayMs]);
}
