import assert from 'node:assert/strict';
import {
  CLAIM,
  COMPLETE,
  claimAll,
  claimOnce,
  claimSingle,
  complete,
  DELIVERED,
  names,
  notStarted,
  onlyListed,
  publishAll,
  retryIn,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import type { Suite } from '../../suite.ts';

export const deliveryLeases: Suite<WebhookFixture> = {
  name: 'deliveries: leases',
  cases: {
    'claims each attempt once over all connections': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      await register(webhooks, 'w1');
      await register(webhooks, 'w2');
      await publishAll(deliveries, 60);
      const claimed = await inParallel(40, await connections(8), (storage) =>
        claimAll(storage.deliveries, { limit: 5 }),
      );
      const taken = claimed.flat().map((each) => `${each.webhookId} ${each.deliveryId}`);
      assert.equal(new Set(taken).size, taken.length);
      assert.equal(taken.length, 120);
    },

    'claims an attempt again in the millisecond its lease expires, and logs the first as lost':
      async ({ webhooks, deliveries, clock }) => {
        const ref = await register(webhooks, 'w1');
        await publishAll(deliveries, 1);
        const lost = await claimSingle(deliveries);
        clock.advance(CLAIM.leaseMs - 1);
        assert.deepEqual(await claimAll(deliveries), []);
        clock.advance(1);
        const again = await claimSingle(deliveries);
        assert.deepEqual([again.attempt, again.failures], [2, 0]);
        await complete(deliveries, [again], DELIVERED);
        const { state, attempts } = await onlyListed(deliveries, ref);
        assert.equal(state, 'delivered');
        const [first] = attempts;
        assert.deepEqual(first, {
          attempt: 1,
          startedAtMs: lost.claimedAtMs,
          status: null,
          durationMs: CLAIM.leaseMs,
          error: 'lost',
        });
      },

    'claims a stalled attempt again even if the clock was set back': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await claimOnce(deliveries);
      await publishAll(deliveries, 1);
      clock.setBack(2 * CLAIM.leaseMs);
      await claimSingle(deliveries);
      clock.advance(CLAIM.leaseMs);
      assert.equal((await claimSingle(deliveries)).attempt, 2);
    },

    'returns a nextInMs no later than the end of the first lease': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 2);
      await claimOnce(deliveries, { limit: 1 });
      clock.advance(1_000);
      const { nextInMs } = await claimOnce(deliveries);
      assert.ok(nextInMs !== null && nextInMs <= CLAIM.leaseMs - 1_000);
    },

    'leaves a lease unchanged by the leaseMs of later claims': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 2);
      await claimOnce(deliveries, { limit: 1, leaseMs: 50_000 });
      assert.equal((await claimSingle(deliveries, { leaseMs: 9_000 })).deliveryId, 'm2');
      clock.advance(9_000);
      assert.equal((await claimSingle(deliveries)).deliveryId, 'm2');
      clock.advance(CLAIM.leaseMs - 1);
      assert.deepEqual(await claimAll(deliveries), []);
      clock.advance(50_000 - 9_000 - CLAIM.leaseMs + 1);
      assert.deepEqual(names(await claimAll(deliveries)).toSorted(), ['m1', 'm2']);
    },

    'fails a delivery as poison after several lost leases in a row, and reports it once': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      for (let lost = 1; lost <= 4; lost += 1) {
        assert.equal((await claimSingle(deliveries)).attempt, lost);
        clock.advance(CLAIM.leaseMs);
      }
      await deliveries.complete([notStarted(await claimSingle(deliveries))], COMPLETE);
      clock.advance(1);
      await claimSingle(deliveries);
      clock.advance(CLAIM.leaseMs);
      const { attempts, poisoned } = await claimOnce(deliveries);
      assert.deepEqual(attempts, []);
      assert.deepEqual(poisoned, [{ accountId: 7, webhookId: 'w1', deliveryId: 'm1' }]);
      assert.deepEqual((await claimOnce(deliveries)).poisoned, []);
      const { state, deadReason, attempts: log } = await onlyListed(deliveries, ref);
      assert.deepEqual([state, deadReason, log.length], ['dead', 'poison', 5]);
    },

    'resets the count of lost leases when an attempt completes': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      for (let round = 0; round < 3; round += 1) {
        for (let lost = 0; lost < 4; lost += 1) {
          await claimSingle(deliveries);
          clock.advance(CLAIM.leaseMs);
        }
        await complete(deliveries, [await claimSingle(deliveries)], retryIn(1));
        clock.advance(1);
      }
      assert.equal((await claimSingle(deliveries)).failures, 3);
    },

    'frees the permits of webhook and account when a lease expires': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 6);
      const limits = { maxInFlightPerWebhook: 2, maxInFlightPerAccount: 2 };
      assert.equal((await claimAll(deliveries, limits)).length, 2);
      clock.advance(CLAIM.leaseMs);
      assert.equal((await claimAll(deliveries, limits)).length, 2);
      assert.deepEqual(await claimAll(deliveries, limits), []);
    },
  },
};
