import assert from 'node:assert/strict';
import type {
  DeliveryRef,
  DeliveryStore,
  NextDelivery,
  ScheduledDelivery,
} from '@latchhook/core/storage';
import { deferralOf, finish, makeAttempt, park, start } from '../../actions/make-attempt.ts';
import { publish, publishMany } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import { type Played, playEngine } from '../../engine/play-engine.ts';
import {
  DELIVERED,
  deliveryTo,
  EXHAUSTED,
  newWebhook,
  POLICY,
  retryAfter,
  SECOND_MS,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const LIMIT = 10;
const WINDOW_MS = SECOND_MS + POLICY.rateMarginMs;
const GAP_MS = WINDOW_MS / LIMIT;
const ONE = { maxInFlight: 1 };
/** Not the one that messages are published with. */
const WIDE_MARGIN = { rateMarginMs: 700 };
const WIDE_WINDOW_MS = SECOND_MS + WIDE_MARGIN.rateMarginMs;

/** Retries and first tries: neither may starve the other. */
export const deliveryTurns: Suite<WebhookTrial> = {
  name: 'deliveries: turns of retries and first tries',
  claims: {
    'let the nth retry start with the 2nth start at the latest, however many first tries wait':
      async ({ webhooks, deliveries, connections, clock }) => {
        await register(webhooks, 'w1', { rateLimit: LIMIT });
        const scheduled = await publishMany(deliveries, 200);
        const retries = scheduled.slice(0, 5);
        for (const retry of retries)
          await makeAttempt(deliveries, retry, retryAfter(3 * SECOND_MS));
        const dueAtMs = clock.nowMs() + 3 * SECOND_MS;
        const played = await playEngine(await connections(4), clock, later(scheduled, retries), {
          withinMs: (200 / LIMIT + 2) * WINDOW_MS,
        });
        const waitedMs = retries.map((retry) => startOf(played, retry) - dueAtMs);
        for (const [nth, waitMs] of waitedMs.toSorted((a, b) => a - b).entries()) {
          // Every other start is a retry's; each may be a millisecond late by rounding.
          assert.ok(
            waitMs <= 2 * (nth + 1) * (GAP_MS + 1),
            `retry ${nth + 1} has waited for ${waitMs} ms: see "Order" of DeliveryStore`,
          );
        }
      },

    'are taken one by one while both wait, retries in the order in which they began to wait':
      async ({ webhooks, deliveries, connections, clock }) => {
        const ref = await register(webhooks, 'w1');
        const scheduled = await publishMany(deliveries, 120);
        const retries = scheduled.slice(0, 20);
        for (const retry of retries) await makeAttempt(deliveries, retry, retryAfter(0));
        await webhooks.change(ref, { rateLimit: LIMIT });
        for (const retry of retries) {
          assert.equal(deferralOf(await deliveries.start(starting(retry))).reason, 'rate');
        }
        const played = await playEngine(await connections(4), clock, scheduled, {
          withinMs: (120 / LIMIT + 2) * WINDOW_MS,
        });
        const isRetry = played.map(({ delivery }) => retries.includes(delivery));
        const last = isRetry.lastIndexOf(true);
        assert.ok(last <= 2 * retries.length, `the last retry started as number ${last}`);
        assert.ok(last >= 2 * (retries.length - 1), `the last retry was number ${last}`);
        const inOrder = played
          .map(({ delivery }) => delivery)
          .filter((one) => retries.includes(one));
        assert.deepEqual(inOrder, retries);
      },

    'let retries start behind a slow receiver, even if first tries fill all room': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      await register(webhooks, 'w1');
      const scheduled = await publishMany(deliveries, 65);
      const retries = scheduled.slice(0, 5);
      for (const retry of retries) await makeAttempt(deliveries, retry, retryAfter(3 * SECOND_MS));
      const dueAtMs = clock.nowMs() + 3 * SECOND_MS;
      const played = await playEngine(await connections(4), clock, later(scheduled, retries), {
        attemptMs: () => SECOND_MS,
        maxInFlight: 2,
        withinMs: 35 * SECOND_MS,
      });
      // Two attempts end each second, and every other start is a retry's.
      for (const retry of retries) {
        const lateMs = startOf(played, retry) - dueAtMs;
        assert.ok(lateMs <= 6 * SECOND_MS, `a retry was ${lateMs} ms late behind first tries`);
      }
    },

    'wake retries and first tries in their turn, as room is made': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      const ids = ['r1', 'r2', 'm1', 'm2', 'm3'];
      for (const id of ids) await publish(deliveries, id);
      for (const id of ['r1', 'r2']) {
        await makeAttempt(deliveries, deliveryTo(ref, id), retryAfter(0));
      }
      await start(deliveries, deliveryTo(ref, 'm1'), ONE);
      for (const id of ['m3', 'r1', 'm2', 'r2']) await parkBehind(deliveries, id, null);
      for (const [ended, next] of [
        ['m1', 'r1'],
        ['r1', 'm2'],
        ['m2', 'r2'],
        ['r2', 'm3'],
      ] as const) {
        assert.deepEqual(await nextAfter(deliveries, ended), woken(next));
        await start(deliveries, deliveryTo(ref, next), ONE);
      }
      assert.equal(await nextAfter(deliveries, 'm3'), null);
    },

    'wake a delivery that has to wait for the rate, and answer for how long': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 2 });
      for (const id of ['r1', 'm1', 'm2', 'm3']) await publish(deliveries, id);
      const two = { maxInFlight: 2 };
      await start(deliveries, deliveryTo(ref, 'r1'), two);
      await finish(deliveries, deliveryTo(ref, 'r1'), { attempt: 1 }, retryAfter(WINDOW_MS), two);
      await start(deliveries, deliveryTo(ref, 'm1'), two);
      clock.advance(WINDOW_MS);
      await parkBehind(deliveries, 'm2', null);
      // The retry begins to wait later, but its turn comes first: it takes the last start of the window.
      await start(deliveries, deliveryTo(ref, 'r1'), two);
      clock.advance(100);
      await webhooks.change(ref, { rateLimit: 1 });
      const { next } = await finish(deliveries, deliveryTo(ref, 'r1'), { attempt: 2 }, EXHAUSTED);
      assert.deepEqual(next, woken('m2', WINDOW_MS - 100));
    },

    'wake a delivery by the margin of the start, not of its publisher': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 2 });
      const [m1 = assert.fail(), m2 = assert.fail()] = await publishMany(deliveries, 3);
      await start(deliveries, m1, ONE);
      await parkBehind(deliveries, 'm3', null);
      clock.advance(300);
      const { next } = await start(deliveries, m2, { maxInFlight: 3, ...WIDE_MARGIN });
      assert.deepEqual(next, woken('m3', WIDE_WINDOW_MS - 300));
    },

    'wake a delivery by the margin of a deferred start': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 1 });
      const [m1 = assert.fail(), , m3 = assert.fail()] = await publishMany(deliveries, 3);
      await start(deliveries, m1, ONE);
      for (const id of ['m2', 'm3']) await parkBehind(deliveries, id, null);
      clock.advance(300);
      const asked = await deliveries.start(starting(m3, { maxInFlight: 2, ...WIDE_MARGIN }));
      assert.deepEqual(deferralOf(asked).next, woken('m2', WIDE_WINDOW_MS - 300));
    },

    'wake a delivery by the margin of a start that finds poison': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 1 });
      const [poisoned = assert.fail()] = await publishMany(deliveries, 2);
      await start(deliveries, poisoned, { ...ONE, leaseMs: 300 });
      await parkBehind(deliveries, 'm2', null);
      clock.advance(300);
      const request = { ...ONE, ...WIDE_MARGIN, maxLostAttempts: 1 };
      const answer = await deliveries.start(starting(poisoned, request));
      assert.deepEqual(answer, { outcome: 'poisoned', next: woken('m2', WIDE_WINDOW_MS - 300) });
    },
  },
};

/** The deliveries as an engine has them: failed ones are due when they are scheduled. */
function later(
  scheduled: readonly ScheduledDelivery[],
  failed: readonly ScheduledDelivery[],
): readonly ScheduledDelivery[] {
  return scheduled.map((delivery) => {
    return failed.includes(delivery) ? { ...delivery, delayMs: 3 * SECOND_MS } : delivery;
  });
}

function startOf(played: readonly Played[], { deliveryId }: DeliveryRef): number {
  const found = played.find(({ delivery }) => delivery.deliveryId === deliveryId);
  return found?.startedAtMs ?? assert.fail(`${deliveryId} never started`);
}

/** Asks in vain: there is room for one attempt, which is taken, or is another delivery's. */
async function parkBehind(
  deliveries: DeliveryStore,
  id: string,
  next: NextDelivery,
): Promise<void> {
  const deferral = await park(deliveries, deliveryTo(newWebhook('w1'), id), ONE);
  assert.deepEqual(deferral.next, next);
}

async function nextAfter(deliveries: DeliveryStore, id: string): Promise<NextDelivery> {
  const ref = deliveryTo(newWebhook('w1'), id);
  const record = await deliveries.find(ref);
  const attemptNumber = (record?.attempts.length ?? 0) + 1;
  return (await finish(deliveries, ref, { attempt: attemptNumber }, DELIVERED, ONE)).next;
}

function woken(id: string, delayMs: number = 0): ScheduledDelivery {
  return { ...deliveryTo(newWebhook('w1'), id), run: 1, delayMs };
}
