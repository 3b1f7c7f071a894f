import assert from 'node:assert/strict';
import {
  CLAIM,
  COMPLETE,
  claimAll,
  claimOnce,
  completeAttempts,
  DELIVERED,
  deliveryIds,
  EXHAUSTED,
  GONE,
  notStartedEnd,
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { assertFound, register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { seededRandom } from '../../model/seeded-random.ts';
import { HOUR_MS, MINUTE_MS } from '../../samples/login-samples.ts';
import { RATE_WINDOW_MS, SECOND_MS } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

export const deliveryRate: Suite<WebhookFixture> = {
  name: 'deliveries: rate',
  cases: {
    'claims no more than rateLimit over all connections together': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 7 });
      await publishAll(deliveries, 40);
      const claims = await inParallel(24, await connections(8), (storage) =>
        claimAll(storage.deliveries, { limit: 3 }),
      );
      assert.equal(claims.flat().length, 7);
    },

    'claims the next attempt in the millisecond that period and margin have passed': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 2 });
      await publishAll(deliveries, 4);
      assert.equal((await claimOnce(deliveries, { limit: 1 })).attempts.length, 1);
      const apartMs = 500;
      clock.advance(apartMs);
      assert.equal((await claimAll(deliveries)).length, 1);
      clock.advance(RATE_WINDOW_MS - apartMs - 1);
      assert.deepEqual(await claimAll(deliveries), []);
      clock.advance(1);
      assert.equal((await claimAll(deliveries)).length, 1);
      clock.advance(apartMs - 1);
      assert.deepEqual(await claimAll(deliveries), []);
      clock.advance(1);
      assert.equal((await claimAll(deliveries)).length, 1);
    },

    'applies to each attempt the rateMarginMs of its own claim': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 1 });
      await publishAll(deliveries, 2);
      const firstMarginMs = 700;
      await claimOnce(deliveries, { rateMarginMs: firstMarginMs });
      clock.advance(SECOND_MS + firstMarginMs - 1);
      assert.deepEqual(await claimAll(deliveries, { rateMarginMs: 10 }), []);
      clock.advance(1);
      assert.equal((await claimAll(deliveries, { rateMarginMs: 10 })).length, 1);
    },

    'counts attempts per minute if rateLimitPeriod is minute': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
      await publishAll(deliveries, 2);
      assert.equal((await claimAll(deliveries)).length, 1);
      clock.advance(MINUTE_MS + CLAIM.rateMarginMs - 1);
      assert.deepEqual(await claimAll(deliveries), []);
      clock.advance(1);
      assert.equal((await claimAll(deliveries)).length, 1);
    },

    'counts retries and returned attempts towards the rate': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 2 });
      await publishAll(deliveries, 4);
      const [first, second] = await claimAll(deliveries);
      assert.ok(first && second);
      await completeAttempts(deliveries, [first], retryIn(100));
      await deliveries.complete([notStartedEnd(second)], COMPLETE);
      clock.advance(200);
      assert.deepEqual(await claimAll(deliveries), []);
      clock.advance(RATE_WINDOW_MS - 200);
      assert.equal((await claimAll(deliveries)).length, 2);
    },

    'limits the rate of each webhook separately': async ({ webhooks, deliveries }) => {
      await register(webhooks, 'w1', { rateLimit: 1 });
      await register(webhooks, 'w2', { rateLimit: 3 });
      await publishAll(deliveries, 5);
      const webhookIds = (await claimAll(deliveries)).map(({ webhookId }) => webhookId);
      assert.deepEqual(webhookIds.toSorted(), ['w1', 'w2', 'w2', 'w2']);
    },

    'applies a changed rate to the next claim, including earlier attempts': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 4 });
      await publishAll(deliveries, 60);
      assert.equal((await claimAll(deliveries)).length, 4);
      assertFound(await webhooks.change(ref, { rateLimit: 6 }));
      assert.equal((await claimAll(deliveries)).length, 2);
      assertFound(await webhooks.change(ref, { rateLimit: 1 }));
      clock.advance(RATE_WINDOW_MS - 1);
      assert.deepEqual(await claimAll(deliveries), []);
      clock.advance(1);
      assert.equal((await claimAll(deliveries)).length, 1);
    },

    'counts attempts from before the webhook was enabled or its URL changed': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 3 });
      await publishAll(deliveries, 9);
      await completeAttempts(
        deliveries,
        (await claimOnce(deliveries, { limit: 1 })).attempts,
        GONE,
      );
      await webhooks.enable(ref);
      assert.equal((await claimAll(deliveries)).length, 2);
      await webhooks.change(ref, { url: 'https://elsewhere.example.com/' });
      assert.deepEqual(await claimAll(deliveries), []);
    },

    'counts attempts from before the period was changed to a minute': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 3 });
      await publishAll(deliveries, 60);
      for (let second = 0; second < 10; second += 1) {
        assert.equal((await claimAll(deliveries)).length, 3);
        clock.advance(RATE_WINDOW_MS);
      }
      assertFound(await webhooks.change(ref, { rateLimit: 30, rateLimitPeriod: 'minute' }));
      assert.deepEqual(await claimAll(deliveries), []);
      clock.advance(MINUTE_MS);
      assert.equal((await claimAll(deliveries)).length, 30);
    },

    'extends no rate window, backoff or lease when the clock is set back': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 1 });
      await register(webhooks, 'w2');
      await publishOne(deliveries, 'backing-off', { webhookId: 'w2' });
      await completeAttempts(deliveries, await claimAll(deliveries), EXHAUSTED, {
        backoffMs: MINUTE_MS,
      });
      await publishOne(deliveries, 'after-backoff', { webhookId: 'w2' });
      await publishOne(deliveries, 'lost', { webhookId: 'w1' });
      await publishOne(deliveries, 'after-start', { webhookId: 'w1' });
      assert.deepEqual(deliveryIds(await claimAll(deliveries)), ['lost']);

      clock.setBack(HOUR_MS);
      const started: string[] = [];
      for (let second = 0; second <= MINUTE_MS / SECOND_MS; second += 1) {
        const attempts = await claimAll(deliveries);
        if (attempts.length > 0) await completeAttempts(deliveries, attempts, DELIVERED);
        started.push(...deliveryIds(attempts));
        clock.advance(SECOND_MS);
      }
      assert.deepEqual(started.toSorted(), ['after-backoff', 'after-start', 'lost']);
    },

    'keeps the rate in every window, at random times and over all connections': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      const rateLimit = 10;
      const count = 80;
      await register(webhooks, 'w1', { rateLimit });
      await publishAll(deliveries, count);
      const random = seededRandom(1);
      const processes = await connections(8);
      const startedAtMs: number[] = [];
      while (startedAtMs.length < count) {
        const calls = 1 + Math.floor(random() * 6);
        const results = await inParallel(calls, processes, (storage) =>
          storage.deliveries.claim({ ...CLAIM, limit: 4 }),
        );
        const attempts = results.flatMap((result) => result.attempts);
        startedAtMs.push(...attempts.map(({ claimedAtMs }) => claimedAtMs));
        if (attempts.length > 0) await completeAttempts(deliveries, attempts, DELIVERED);
        clock.advance(1 + Math.floor(random() * 150));
      }
      assert.ok(mostInAnyWindow(startedAtMs, RATE_WINDOW_MS) <= rateLimit);
    },
  },
};

/** The largest number of starts in any window of this length. */
function mostInAnyWindow(startedAtMs: readonly number[], windowMs: number): number {
  const sorted = startedAtMs.toSorted((a, b) => a - b);
  let largest = 0;
  let first = 0;
  for (const [last, atMs] of sorted.entries()) {
    while ((sorted[first] ?? atMs) <= atMs - windowMs) first += 1;
    largest = Math.max(largest, last - first + 1);
  }
  return largest;
}
