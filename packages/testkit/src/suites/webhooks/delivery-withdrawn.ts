import assert from 'node:assert/strict';
import type {
  DeliveryRef,
  DeliveryStore,
  StartOutcome,
  StartRequest,
} from '@latchhook/core/storage';
import type { Suite } from '../../suite.ts';
import {
  assertState,
  attempt,
  deferralOf,
  disable,
  finish,
  publish,
  publishMany,
  queue,
  recordOf,
  register,
  type Started,
  start,
} from '../../webhook-actions.ts';
import {
  DELIVERED,
  deliveryTo,
  finishing,
  POLICY,
  retryAfter,
  SECOND_MS,
  starting,
} from '../../webhook-samples.ts';
import type { WebhookTrial } from '../../webhook-trial.ts';

const WINDOW_MS = SECOND_MS + POLICY.rateMarginMs;
const LATE_MS = POLICY.rateMarginMs + 1;

/** Attempts that were admitted, but learned of it too late to begin. */
export const deliveryWithdrawn: Suite<WebhookTrial> = {
  name: 'deliveries: withdrawn attempts',
  claims: {
    'are as if they had never started': async ({ webhooks, deliveries, clock }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const late = await start(deliveries, delivery);
      clock.advance(LATE_MS);
      const next = await start(deliveries, delivery, instead(late));
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
      await start(deliveries, deliveryTo(ref, 'm1'), instead(late));
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
      await start(deliveries, deliveryTo(ref, 'm1'), instead(late));
      const m3 = starting(deliveryTo(ref, 'm3'));
      assert.equal(deferralOf(await deliveries.start(m3)).delayMs, WINDOW_MS - LATE_MS);
    },

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
      const deferral = await askAgain(deliveries, deliveryTo(ref, 'm1'), late);
      assert.deepEqual([deferral.by, deferral.delayMs], ['rate', WINDOW_MS - 100]);
      const { state, attempts } = await recordOf(deliveries, deliveryTo(ref, 'm1'));
      assert.deepEqual([state, attempts], ['queued', []]);
      clock.advance(deferral.delayMs);
      const overdue = await deliveries.overdue({ graceMs: 0, limit: 10, putOffMs: 0 });
      assert.ok(overdue.some(({ deliveryId }) => deliveryId === 'm1'));
      assert.equal(deferralOf(await deliveries.start(starting(deliveryTo(ref, 'm3')))).by, 'rate');
      assert.equal((await start(deliveries, deliveryTo(ref, 'm1'))).attempt, 1);
    },

    'wait as retries if they were retries': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      const delivery = await queue(deliveries, ref);
      await attempt(deliveries, delivery, retryAfter(0));
      clock.advance(WINDOW_MS);
      const late = await start(deliveries, delivery);
      clock.advance(WINDOW_MS);
      await publish(deliveries, 'm2');
      await start(deliveries, deliveryTo(ref, 'm2'));
      const deferral = await askAgain(deliveries, delivery, late);
      assert.deepEqual([deferral.by, deferral.delayMs], ['rate', WINDOW_MS]);
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
        await attempt(deliveries, retry, retryAfter(0));
        clock.advance(WINDOW_MS);
      }
      const late = await start(deliveries, first);
      assert.equal(deferralOf(await deliveries.start(starting(second))).by, 'rate');
      clock.advance(WINDOW_MS);
      await start(deliveries, await queue(deliveries, ref, 'm3'));
      const deferral = await askAgain(deliveries, first, late);
      assert.deepEqual([deferral.by, deferral.delayMs], ['rate', 2 * WINDOW_MS]);
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
      await askAgain(deliveries, again, late);
      await publish(deliveries, 'm3', bounds);
      await assertState(deliveries, expired, 'waiting');
    },

    'take no room, not even their own': async ({ webhooks, deliveries, clock }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const one = { maxInFlight: 1 };
      const late = await start(deliveries, delivery, one);
      clock.advance(LATE_MS);
      await start(deliveries, delivery, { ...one, ...instead(late) });
    },

    'go before all that wait, since their turn had come': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 3 });
      const scheduled = await publishMany(deliveries, 3);
      for (const each of scheduled) await attempt(deliveries, each, retryAfter(0));
      clock.advance(WINDOW_MS);
      const [first = assert.fail('nothing was published'), ...others] = scheduled;
      const late = await start(deliveries, first);
      await webhooks.change(ref, { rateLimit: 1 });
      for (const each of others) {
        assert.equal(deferralOf(await deliveries.start(starting(each))).by, 'rate');
      }
      clock.advance(LATE_MS);
      const next = await start(deliveries, first, instead(late));
      assert.deepEqual([next.attempt, next.triesBefore], [2, 1]);
    },

    'are not lost, even if their lease is over': async ({ webhooks, deliveries, clock }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const late = await start(deliveries, delivery);
      clock.advance(POLICY.leaseMs);
      assert.equal((await start(deliveries, delivery, instead(late))).attempt, 1);
      assert.deepEqual((await recordOf(deliveries, delivery)).attempts, []);
    },

    'are held if the webhook was disabled meanwhile': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      const delivery = await queue(deliveries, ref);
      const late = await start(deliveries, delivery);
      await disable(deliveries, ref);
      clock.advance(LATE_MS);
      assert.deepEqual(await ask(deliveries, delivery, late), { outcome: 'held' });
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
      await askAgain(deliveries, deliveryTo(ref, 'm1'), late);
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
      assert.equal((await askAgain(deliveries, delivery, late)).by, 'sending');
      await finish(deliveries, delivery, next, DELIVERED);
      assert.deepEqual(await ask(deliveries, delivery, late), { outcome: 'over' });
    },
  },
};

function instead({ startedAtMs }: Started): Partial<StartRequest> {
  return { withdrawnStartAtMs: startedAtMs };
}

/** Asks for another attempt, and withdraws one that was too late. */
async function ask(
  deliveries: DeliveryStore,
  delivery: DeliveryRef & { readonly run?: number },
  late: Started,
): Promise<StartOutcome> {
  return deliveries.start(starting(delivery, instead(late)));
}

async function askAgain(
  deliveries: DeliveryStore,
  delivery: DeliveryRef & { readonly run?: number },
  late: Started,
) {
  return deferralOf(await ask(deliveries, delivery, late));
}
