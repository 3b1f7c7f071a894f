import assert from 'node:assert/strict';
import {
  CLAIM,
  COMPLETE,
  claimAll,
  claimOnce,
  claimSingle,
  completeAttempts,
  DELIVERED,
  deliveryIds,
  notStartedEnd,
  onlyDelivery,
  publishAll,
  retryIn,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { POLICY, SECOND_MS } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

const { maxStalledAttempts } = POLICY;
const LONG_LEASE_MS = 50 * SECOND_MS;
const SHORT_LEASE_MS = 9 * SECOND_MS;

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
      const claims = await inParallel(40, await connections(8), (storage) =>
        claimAll(storage.deliveries, { limit: 5 }),
      );
      const names = claims.flat().map((each) => `${each.webhookId} ${each.deliveryId}`);
      assert.equal(new Set(names).size, names.length);
      assert.equal(names.length, 120);
    },

    'claims a delivery again in the millisecond that its lease expires, with the lost attempt in the log':
      async ({ webhooks, deliveries, clock }) => {
        const ref = await register(webhooks, 'w1');
        await publishAll(deliveries, 1);
        const lostAttempt = await claimSingle(deliveries);
        clock.advance(CLAIM.leaseMs - 1);
        assert.deepEqual(await claimAll(deliveries), []);
        clock.advance(1);
        const secondAttempt = await claimSingle(deliveries);
        assert.deepEqual([secondAttempt.attempt, secondAttempt.failures], [2, 0]);
        await completeAttempts(deliveries, [secondAttempt], DELIVERED);
        const { state, attempts } = await onlyDelivery(deliveries, ref);
        assert.equal(state, 'delivered');
        const [first] = attempts;
        assert.deepEqual(first, {
          attempt: 1,
          startedAtMs: lostAttempt.claimedAtMs,
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
      clock.advance(SECOND_MS);
      const { nextInMs } = await claimOnce(deliveries);
      assert.ok(nextInMs !== null && nextInMs <= CLAIM.leaseMs - SECOND_MS);
    },

    'leaves a lease unchanged by the leaseMs of later claims': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 2);
      await claimOnce(deliveries, { limit: 1, leaseMs: LONG_LEASE_MS });
      assert.equal((await claimSingle(deliveries, { leaseMs: SHORT_LEASE_MS })).deliveryId, 'm2');
      clock.advance(SHORT_LEASE_MS);
      assert.equal((await claimSingle(deliveries)).deliveryId, 'm2');
      clock.advance(CLAIM.leaseMs - 1);
      assert.deepEqual(await claimAll(deliveries), []);
      clock.advance(LONG_LEASE_MS - SHORT_LEASE_MS - CLAIM.leaseMs + 1);
      assert.deepEqual(deliveryIds(await claimAll(deliveries)).toSorted(), ['m1', 'm2']);
    },

    'reports a delivery as poison once, after maxStalledAttempts lost leases in a row': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      for (let attemptNumber = 1; attemptNumber < maxStalledAttempts; attemptNumber += 1) {
        assert.equal((await claimSingle(deliveries)).attempt, attemptNumber);
        clock.advance(CLAIM.leaseMs);
      }
      await deliveries.complete([notStartedEnd(await claimSingle(deliveries))], COMPLETE);
      clock.advance(1);
      await claimSingle(deliveries);
      clock.advance(CLAIM.leaseMs);
      const { attempts, poisoned } = await claimOnce(deliveries);
      assert.deepEqual(attempts, []);
      assert.deepEqual(poisoned, [{ accountId: 7, webhookId: 'w1', deliveryId: 'm1' }]);
      assert.deepEqual((await claimOnce(deliveries)).poisoned, []);
      const { state, deadReason, attempts: log } = await onlyDelivery(deliveries, ref);
      assert.deepEqual([state, deadReason, log.length], ['dead', 'poison', maxStalledAttempts]);
    },

    'resets the count of lost leases when an attempt completes': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      for (let round = 0; round < 3; round += 1) {
        for (let lostLeases = 1; lostLeases < maxStalledAttempts; lostLeases += 1) {
          await claimSingle(deliveries);
          clock.advance(CLAIM.leaseMs);
        }
        await completeAttempts(deliveries, [await claimSingle(deliveries)], retryIn(1));
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
