import assert from 'node:assert/strict';
import { idsOf, recordOf } from '../../actions/delivery-records.ts';
import { deferralOf, makeAttempt } from '../../actions/make-attempt.ts';
import { publishAroundForgotten, publishMany } from '../../actions/publish.ts';
import { found, register } from '../../actions/register-webhook.ts';
import { reschedule } from '../../actions/reschedule.ts';
import { mostInAnyWindow, playEngine } from '../../engine/play-engine.ts';
import { MINUTE_MS } from '../../samples/login-samples.ts';
import {
  DELIVERED,
  POLICY,
  retryAfter,
  SECOND_MS,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const WINDOW_MS = SECOND_MS + POLICY.rateMarginMs;
const PROCESSES = 8;
/** A delivery is asked for when it may start, and once or twice more due to rounding, or if another came before it. */
const ASKS_AT_MOST = 3;

/** A delivery that waits must not cost more in a longer backlog. */
export const deliveryBacklog: Suite<WebhookTrial> = {
  name: 'deliveries: a backlog',
  claims: {
    'is scheduled evenly if much is published at once': async ({ webhooks, deliveries }) => {
      const limit = 10;
      const count = 500;
      await register(webhooks, 'w1', { rateLimit: limit });
      const delays = (await publishMany(deliveries, count)).map(({ delayMs }) => delayMs);
      assert.deepEqual(
        delays,
        delays.toSorted((a, b) => a - b),
      );
      assert.deepEqual(delays.slice(0, limit), Array(limit).fill(0));
      const later = delays.slice(limit);
      assert.ok(
        later.every((delayMs) => delayMs >= WINDOW_MS),
        `scheduled after ${Math.min(...later)} ms, in a window that is full`,
      );
      // One more for the rounding to whole milliseconds.
      assert.ok(
        mostInAnyWindow(later, WINDOW_MS) <= limit + 1,
        'more are scheduled than may start',
      );
      assert.ok(mostInAnyWindow(later, (2 * WINDOW_MS) / limit) <= 3, 'scheduled in blocks');
      assert.ok(
        (later.at(-1) ?? Infinity) <= (count / limit + 1) * WINDOW_MS,
        `the last is scheduled after ${later.at(-1)} ms, later than the rate has it`,
      );
    },

    'of 5,000 is admitted within three asks each, and wastes no room': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      const limit = 500;
      await register(webhooks, 'w1', { rateLimit: limit });
      const scheduled = await publishMany(deliveries, 5_000);
      const played = await playEngine(await connections(PROCESSES), clock, scheduled, {
        withinMs: (5_000 / limit + 2) * WINDOW_MS,
      });
      const asks = played.map(({ asks }) => asks);
      assertFewAsks(asks);
      const startedAtMs = played.map(({ startedAtMs }) => startedAtMs);
      assert.ok(
        mostInAnyWindow(startedAtMs, WINDOW_MS) <= limit,
        'more started than the rate allows',
      );
    },

    'of retries is admitted within three asks each': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      const limit = 100;
      const ref = await register(webhooks, 'w1');
      const scheduled = await publishMany(deliveries, 500);
      for (const delivery of scheduled) {
        await makeAttempt(deliveries, delivery, retryAfter(10 * SECOND_MS));
      }
      await webhooks.change(ref, { rateLimit: limit });
      clock.advance(10 * SECOND_MS);
      const due = scheduled.map((delivery) => ({ ...delivery, delayMs: 0 }));
      const played = await playEngine(await connections(PROCESSES), clock, due, {
        withinMs: (500 / limit + 2) * WINDOW_MS,
      });
      const asks = played.map(({ asks }) => asks);
      assertFewAsks(asks);
      const startedAtMs = played.map(({ startedAtMs }) => startedAtMs);
      assert.ok(
        mostInAnyWindow(startedAtMs, WINDOW_MS) <= limit,
        'more started than the rate allows',
      );
    },

    'is rescheduled by a changed limit, in order, page by page': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      const scheduled = await publishMany(deliveries, 50);
      await makeAttempt(
        deliveries,
        scheduled[0] ?? assert.fail('nothing was published'),
        DELIVERED,
      );
      await webhooks.change(ref, { rateLimit: 20 });
      const rescheduled = await reschedule(deliveries, ref, 20);
      assert.deepEqual(idsOf(rescheduled), idsOf(scheduled.slice(1)));
      const delays = rescheduled.map(({ delayMs }) => delayMs);
      assert.deepEqual(delays.slice(0, 19), Array(19).fill(0));
      assert.ok(
        delays.slice(19).every((delayMs) => delayMs > 0 && delayMs <= 4 * WINDOW_MS),
        `scheduled after ${delays.slice(19)} ms, of a rate that takes four windows`,
      );
      const played = await playEngine(await connections(PROCESSES), clock, rescheduled, {
        withinMs: 4 * WINDOW_MS,
      });
      const asks = played.map(({ asks }) => asks);
      assertFewAsks(asks);
    },

    'of retries and first tries is rescheduled too, even if they were scheduled for much later':
      async ({ webhooks, deliveries, connections, clock }) => {
        const ref = await register(webhooks, 'w1');
        const scheduled = await publishMany(deliveries, 60);
        const retries = scheduled.slice(0, 30);
        for (const retry of retries) await makeAttempt(deliveries, retry, retryAfter(0));
        await webhooks.change(ref, { rateLimit: 1, rateLimitPeriod: 'minute' });
        for (const delivery of scheduled) {
          assert.equal(deferralOf(await deliveries.start(starting(delivery))).reason, 'rate');
        }
        await webhooks.change(ref, { rateLimit: 20, rateLimitPeriod: 'second' });
        const rescheduled = await reschedule(deliveries, ref, 20);
        assert.deepEqual(idsOf(rescheduled), idsOf(scheduled));
        // Over all pages; each begins where the one before it ended.
        const delays = rescheduled.map(({ delayMs }) => delayMs);
        assert.ok(mostInAnyWindow(delays, WINDOW_MS) <= 20 + 1, 'scheduled together');
        await playEngine(await connections(PROCESSES), clock, rescheduled, {
          withinMs: 5 * WINDOW_MS,
        });
      },

    'is due when it was last scheduled, even if it was due sooner before': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 20 });
      const scheduled = await publishMany(deliveries, 5);
      await webhooks.change(ref, { rateLimit: 1 });
      const rescheduled = await reschedule(deliveries, ref, 2);
      assert.deepEqual(idsOf(rescheduled), idsOf(scheduled));
      for (const delivery of rescheduled) {
        const { createdAtMs, nextAttemptAtMs } = await recordOf(deliveries, delivery);
        assert.equal(nextAttemptAtMs, createdAtMs + delivery.delayMs);
      }
    },

    'is rescheduled by the margin of the request': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      await publishMany(deliveries, 2);
      const request = { ...POLICY, rateMarginMs: 3 * SECOND_MS, limit: 10, after: null };
      const rescheduled = found(await deliveries.reschedule(ref, request));
      assert.deepEqual(
        rescheduled.map(({ delayMs }) => delayMs),
        [0, 4 * SECOND_MS],
      );
    },

    'is answered in full pages except the last, even if much in between is forgotten': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      const kept = await publishAroundForgotten(deliveries, clock);
      await webhooks.change(ref, { rateLimit: 20 });
      assert.deepEqual(idsOf(await reschedule(deliveries, ref, 2)), kept);
    },

    'behind a slow receiver is admitted within three asks each, and leaves no room empty': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      await register(webhooks, 'w1');
      const count = 200;
      const slow = { attemptMs: () => 700, maxInFlight: 5 };
      const scheduled = await publishMany(deliveries, count);
      const played = await playEngine(await connections(4), clock, scheduled, {
        ...slow,
        withinMs: 1.1 * (count / slow.maxInFlight) * 700,
      });
      const asks = played.map(({ asks }) => asks);
      assertFewAsks(asks);
    },

    'is not left parked if a slow receiver becomes fast, and the rate is the obstacle': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      const windowMs = MINUTE_MS + POLICY.rateMarginMs;
      const slowMs = 10 * SECOND_MS;
      const ref = await register(webhooks, 'w1', { rateLimitPeriod: 'minute' });
      const scheduled = await publishMany(deliveries, 300);
      const retries = new Set(scheduled.slice(0, 100));
      for (const retry of retries) await makeAttempt(deliveries, retry, retryAfter(windowMs));
      clock.advance(windowMs);
      await webhooks.change(ref, { rateLimit: 200 });
      const quickFromMs = clock.nowMs() + slowMs;
      const due = scheduled.map((delivery) => ({
        ...delivery,
        // First tries fill the room; retries come later.
        delayMs: retries.has(delivery) ? slowMs / 2 : 0,
      }));
      await playEngine(await connections(PROCESSES), clock, due, {
        maxInFlight: 5,
        attemptMs: (startedAtMs) => (startedAtMs < quickFromMs ? slowMs : 20),
        withinMs: 2.5 * windowMs,
      });
    },
  },
};

function assertFewAsks(asks: readonly number[]): void {
  const most = Math.max(...asks);
  assert.ok(
    most <= ASKS_AT_MOST,
    `one has asked ${most} times until it started: see "The rate" of DeliveryStore`,
  );
}
