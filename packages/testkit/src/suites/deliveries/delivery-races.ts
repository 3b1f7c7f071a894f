import assert from 'node:assert/strict';
import {
  attemptEnd,
  CLAIM,
  COMPLETE,
  claimAll,
  claimSingle,
  completeAttempts,
  DELIVERED,
  deliveryIds,
  EXHAUSTED,
  onlyDelivery,
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { tally } from '../../actions/outcomes.ts';
import { assertFound, register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { deliveryTo } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

const PROCESSES = 8;

export const deliveryRaces: Suite<WebhookFixture> = {
  name: 'deliveries: races between processes',
  cases: {
    'gives a stalled attempt to one of 100 parallel claims': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1');
      await claimSingle(deliveries);
      clock.advance(CLAIM.leaseMs);
      const results = await inParallel(100, await connections(PROCESSES), (storage) =>
        storage.deliveries.claim(CLAIM),
      );
      const attempts = results.flatMap((result) => result.attempts);
      assert.deepEqual(
        attempts.map(({ attempt }) => attempt),
        [2],
      );
      assert.equal((await onlyDelivery(deliveries, ref)).attempts.length, 1);
    },

    'reports a poison message in one of 100 parallel claims': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1');
      await claimSingle(deliveries);
      clock.advance(CLAIM.leaseMs);
      const results = await inParallel(100, await connections(PROCESSES), (storage) =>
        storage.deliveries.claim({ ...CLAIM, maxStalledAttempts: 1 }),
      );
      assert.deepEqual(deliveryIds(results.flatMap(({ poisoned }) => poisoned)), ['m1']);
      assert.deepEqual(
        results.flatMap(({ attempts }) => attempts),
        [],
      );
    },

    'accepts one of 50 parallel completions of an attempt': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1');
      const attempt = await claimSingle(deliveries);
      const results = await inParallel(50, await connections(PROCESSES), (storage, i) =>
        storage.deliveries.complete(
          [attemptEnd(attempt, i % 2 ? DELIVERED : retryIn(0))],
          COMPLETE,
        ),
      );
      assert.deepEqual(tally(results.flat()), { completed: 1, stale: 49 });
      assert.equal((await onlyDelivery(deliveries, ref)).attempts.length, 1);
    },

    'redelivers once under 50 parallel calls': async ({ webhooks, deliveries, connections }) => {
      const ref = await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1');
      await completeAttempts(deliveries, await claimAll(deliveries), EXHAUSTED);
      const results = await inParallel(50, await connections(PROCESSES), (storage) =>
        storage.deliveries.redeliver(deliveryTo(ref, 'm1')),
      );
      assert.deepEqual(tally(results), { due: 1, under_way: 49 });
      assert.equal((await claimSingle(deliveries)).attempt, 2);
    },

    'redelivers each failed delivery once under parallel calls of redeliverFailed()': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const ref = await register(webhooks, 'w1');
      const ids = await publishAll(deliveries, 20);
      await completeAttempts(deliveries, await claimAll(deliveries), EXHAUSTED);
      const batches = await inParallel(PROCESSES, await connections(PROCESSES), async (storage) =>
        assertFound(await storage.deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 5 })),
      );
      assert.equal(
        batches.reduce((sum, { count }) => sum + count, 0),
        20,
      );
      assert.deepEqual(deliveryIds(await claimAll(deliveries)).toSorted(), ids.toSorted());
    },
  },
};
