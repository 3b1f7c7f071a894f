import assert from 'node:assert/strict';
import type { DeliveryRef, DeliveryStore } from '@latchhook/core/storage';
import { idsOf } from '../../actions/delivery-records.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { deferralOf, finish, makeAttempt, start } from '../../actions/make-attempt.ts';
import { publish, publishMany } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import { seededRandom } from '../../agreement/seeded-random.ts';
import { mostInAnyWindow } from '../../engine/play-engine.ts';
import {
  DELIVERED,
  deliveryTo,
  newWebhook,
  POLICY,
  retryAfter,
  SECOND_MS,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const WINDOW_MS = SECOND_MS + POLICY.rateMarginMs;
const PROCESSES = 8;

export const deliveryRate: Suite<WebhookTrial> = {
  name: 'deliveries: rate',
  claims: {
    'lets no more than rateLimit start at once, over all connections': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 7 });
      const scheduled = await publishMany(deliveries, 40);
      const answers = await inParallel(40, await connections(PROCESSES), (storage, nth) =>
        storage.deliveries.start(starting(nthOf(scheduled, nth))),
      );
      const started = answers.filter(({ outcome }) => outcome === 'started');
      assert.equal(started.length, 7);
      for (const answer of answers) {
        if (answer.outcome !== 'started') assert.equal(deferralOf(answer).reason, 'rate');
      }
    },

    'holds in every window, even if asked at random times and out of order': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 10 });
      const random = seededRandom(1);
      const processes = await connections(PROCESSES);
      const left = new Set<DeliveryRef>(await publishMany(deliveries, 80));
      const startedAtMs: number[] = [];
      while (left.size > 0) {
        const asking = [...left].filter(() => random() < 0.4);
        await inParallel(asking.length, processes, async (storage, nth) => {
          const delivery = nthOf(asking, nth);
          const answer = await storage.deliveries.start(starting(delivery));
          if (answer.outcome !== 'started') return;
          left.delete(delivery);
          startedAtMs.push(answer.startedAtMs);
          await finish(storage.deliveries, delivery, answer, DELIVERED);
        });
        clock.advance(1 + Math.floor(random() * 150));
      }
      assert.ok(mostInAnyWindow(startedAtMs, WINDOW_MS) <= 10);
    },

    'opens again when period and margin have passed, to the millisecond': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 2 });
      const [first, second, third] = await publishMany(deliveries, 3);
      await started(deliveries, [first]);
      clock.advance(500);
      await started(deliveries, [second]);
      const left = WINDOW_MS - 500;
      const deferral = deferralOf(await deliveries.start(starting(present(third))));
      assert.deepEqual(deferral, {
        outcome: 'deferred',
        delayMs: left,
        reason: 'rate',
        next: null,
      });
      clock.advance(left - 1);
      assert.equal(deferralOf(await deliveries.start(starting(present(third)))).delayMs, 1);
      clock.advance(1);
      await started(deliveries, [third]);
    },

    'is counted over a minute if the webhook says so': async ({ webhooks, deliveries, clock }) => {
      await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
      const [first, second] = await publishMany(deliveries, 2);
      await started(deliveries, [first]);
      clock.advance(60_000 + POLICY.rateMarginMs - 1);
      assert.equal(deferralOf(await deliveries.start(starting(present(second)))).delayMs, 1);
      clock.advance(1);
      await started(deliveries, [second]);
    },

    'counts what started before it was changed, under any limit and period': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 3 });
      const waiting = await publishMany(deliveries, 40);
      for (let nth = 0; nth < 30; nth += 3) {
        await started(deliveries, waiting.slice(nth, nth + 3));
        clock.advance(WINDOW_MS);
      }
      await webhooks.change(ref, { rateLimit: 32, rateLimitPeriod: 'minute' });
      await started(deliveries, waiting.slice(30, 32));
      const deferral = deferralOf(await deliveries.start(starting(nthOf(waiting, 32))));
      assert.equal(deferral.reason, 'rate');
      clock.advance(60_000 + POLICY.rateMarginMs - 10 * WINDOW_MS - 1);
      assert.equal(deferralOf(await deliveries.start(starting(nthOf(waiting, 32)))).delayMs, 1);
      clock.advance(1);
      await started(deliveries, waiting.slice(32, 35));
    },

    'applies to each webhook separately': async ({ webhooks, deliveries }) => {
      await register(webhooks, 'w1', { rateLimit: 1 });
      const other = await register(webhooks, 'w2', { rateLimit: 1 });
      const one = { webhookId: 'w1' };
      await started(deliveries, [(await publishMany(deliveries, 5, one))[0]]);
      const { scheduled } = await publish(deliveries, 'm', { webhookId: 'w2' });
      assert.equal(scheduled[0]?.delayMs, 0);
      await start(deliveries, deliveryTo(other, 'm'));
    },

    'lets first tries start in the order of publishing': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 3 });
      const waiting = idsOf(await publishMany(deliveries, 9)).toReversed();
      const batches: string[][] = [];
      for (let round = 0; round < 3; round += 1) {
        const batch: string[] = [];
        // The newest asks first: it starts only if all deliveries before it could start too.
        for (const id of waiting) {
          const answer = await deliveries.start(starting(deliveryTo(newWebhook('w1'), id)));
          if (answer.outcome === 'started') batch.push(id);
        }
        batches.push(batch);
        clock.advance(WINDOW_MS);
      }
      assert.deepEqual(batches, [
        ['m3', 'm2', 'm1'],
        ['m6', 'm5', 'm4'],
        ['m9', 'm8', 'm7'],
      ]);
    },

    'holds for retries too': async ({ webhooks, deliveries, clock }) => {
      await register(webhooks, 'w1', { rateLimit: 2 });
      const [failed, fresh] = await publishMany(deliveries, 2);
      await makeAttempt(deliveries, present(failed), retryAfter(100));
      await started(deliveries, [fresh]);
      clock.advance(100);
      const deferral = deferralOf(await deliveries.start(starting(present(failed))));
      assert.deepEqual(deferral, {
        outcome: 'deferred',
        delayMs: WINDOW_MS - 100,
        reason: 'rate',
        next: null,
      });
      clock.advance(deferral.delayMs);
      await started(deliveries, [failed]);
    },

    'follows a lowered limit from then on': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 10 });
      const scheduled = await publishMany(deliveries, 20);
      await started(deliveries, scheduled.slice(0, 5));
      await webhooks.change(ref, { rateLimit: 2 });
      assert.equal(await countStarted(deliveries, scheduled.slice(5)), 0);
      clock.advance(WINDOW_MS);
      assert.equal(await countStarted(deliveries, scheduled.slice(5)), 2);
    },

    'follows a raised limit at once': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 2 });
      const scheduled = await publishMany(deliveries, 10);
      assert.equal(await countStarted(deliveries, scheduled), 2);
      await webhooks.change(ref, { rateLimit: 5 });
      assert.equal(await countStarted(deliveries, scheduled.slice(2)), 3);
    },

    'forgets no start of the window while the limit is lowered and raised again': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 10 });
      const scheduled = await publishMany(deliveries, 30);
      assert.equal(await countStarted(deliveries, scheduled), 10);
      await webhooks.change(ref, { rateLimit: 2 });
      assert.equal(await countStarted(deliveries, scheduled.slice(10)), 0);
      await webhooks.change(ref, { rateLimit: 12 });
      assert.equal(await countStarted(deliveries, scheduled.slice(10)), 2);
    },
  },
};

async function started(
  deliveries: DeliveryStore,
  asking: readonly (DeliveryRef | undefined)[],
): Promise<void> {
  for (const delivery of asking) await start(deliveries, present(delivery));
}

/** How many start if all ask, one after the other. */
async function countStarted(
  deliveries: DeliveryStore,
  asking: readonly DeliveryRef[],
): Promise<number> {
  let count = 0;
  for (const delivery of asking) {
    if ((await deliveries.start(starting(delivery))).outcome === 'started') count += 1;
  }
  return count;
}

function nthOf<Item>(items: readonly Item[], nth: number): Item {
  return present(items[nth]);
}

function present<Item>(item: Item | undefined): Item {
  if (item === undefined) assert.fail('nothing was published');
  return item;
}
