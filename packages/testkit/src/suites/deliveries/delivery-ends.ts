import assert from 'node:assert/strict';
import {
  attemptEnd,
  CLAIM,
  COMPLETE,
  claimAll,
  claimSingle,
  completeAttempts,
  DELIVERED,
  EXHAUSTED,
  listDeliveries,
  notStartedEnd,
  onlyDelivery,
  publishAll,
  retryIn,
} from '../../actions/claim.ts';
import { tally } from '../../actions/outcomes.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import type { Suite } from '../../suite.ts';

export const deliveryEnds: Suite<WebhookFixture> = {
  name: 'deliveries: completion',
  cases: {
    'returns stale to a second completion and to a completion after the lease expired': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      const lostAttempt = await claimSingle(deliveries);
      clock.advance(CLAIM.leaseMs);
      const secondAttempt = await claimSingle(deliveries);
      for (const end of [
        attemptEnd(lostAttempt, DELIVERED),
        attemptEnd(lostAttempt, retryIn(1)),
        notStartedEnd(lostAttempt),
      ]) {
        assert.deepEqual(await deliveries.complete([end], COMPLETE), [{ outcome: 'stale' }]);
      }
      assert.equal((await onlyDelivery(deliveries, ref)).state, 'sending');
      await completeAttempts(deliveries, [secondAttempt], DELIVERED);
      assert.deepEqual(
        await deliveries.complete([attemptEnd(secondAttempt, retryIn(1))], COMPLETE),
        [{ outcome: 'stale' }],
      );
      assert.equal((await onlyDelivery(deliveries, ref)).state, 'delivered');
    },

    'completes the other attempts of a call if one attempt is stale, with results in order':
      async ({ webhooks, deliveries }) => {
        const ref = await register(webhooks, 'w1');
        await publishAll(deliveries, 3);
        const [first, second, third] = await claimAll(deliveries);
        assert.ok(first && second && third);
        await completeAttempts(deliveries, [first], DELIVERED);
        const ends = [first, second, third].map((attempt) => attemptEnd(attempt, DELIVERED));
        const results = await deliveries.complete(ends, COMPLETE);
        assert.deepEqual(
          results.map(({ outcome }) => outcome),
          ['stale', 'completed', 'completed'],
        );
        assert.deepEqual(
          (await listDeliveries(deliveries, ref)).map(({ state }) => state),
          ['delivered', 'delivered', 'delivered'],
        );
      },

    'returns stale to a completion once the attempt was claimed again, even with the same number':
      async ({ webhooks, deliveries, clock }) => {
        const ref = await register(webhooks, 'w1');
        await publishAll(deliveries, 1);
        const failedAttempt = await claimSingle(deliveries);
        await completeAttempts(deliveries, [failedAttempt], retryIn(0));
        const returned = await claimSingle(deliveries);
        const staleResults = [{ outcome: 'stale' }];
        assert.deepEqual(
          await deliveries.complete([attemptEnd(failedAttempt, DELIVERED)], COMPLETE),
          staleResults,
        );
        await deliveries.complete([notStartedEnd(returned)], COMPLETE);
        clock.advance(1);
        const currentAttempt = await claimSingle(deliveries);
        assert.equal(currentAttempt.attempt, returned.attempt);
        for (const end of [notStartedEnd(returned), attemptEnd(returned, DELIVERED)]) {
          assert.deepEqual(await deliveries.complete([end], COMPLETE), staleResults);
        }
        for (const change of [{ accountId: 8 }, { webhookId: 'w2' }]) {
          const foreign = { ...attemptEnd(currentAttempt, DELIVERED), ...change };
          assert.deepEqual(await deliveries.complete([foreign], COMPLETE), staleResults);
        }
        assert.equal((await onlyDelivery(deliveries, ref)).state, 'sending');
        await completeAttempts(deliveries, [currentAttempt], DELIVERED);
      },

    'frees no permit on a stale completion': async ({ webhooks, deliveries, clock }) => {
      for (const [accountId, limits] of [
        [1, { maxInFlightPerWebhook: 2 }],
        [2, { maxInFlightPerAccount: 2 }],
      ] as const) {
        await register(webhooks, 'w1', { accountId });
        await publishAll(deliveries, 9, { accountId });
        const lostAttempts = await claimAll(deliveries, limits);
        clock.advance(CLAIM.leaseMs);
        const [first, second] = await claimAll(deliveries, limits);
        assert.ok(first && second);
        await completeAttempts(deliveries, [first], DELIVERED);
        const lateEnds = [...lostAttempts, first].map((attempt) => attemptEnd(attempt, DELIVERED));
        for (const { outcome } of await deliveries.complete(lateEnds, COMPLETE)) {
          assert.equal(outcome, 'stale');
        }
        assert.equal((await claimAll(deliveries, limits)).length, 1);
        await webhooks.remove({ accountId, webhookId: 'w1' });
      }
    },

    'completes an attempt once if a call contains it twice': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      const end = attemptEnd(await claimSingle(deliveries), EXHAUSTED);
      const results = await deliveries.complete([end, end], COMPLETE);
      assert.deepEqual(tally(results), { completed: 1, stale: 1 });
      assert.equal((await onlyDelivery(deliveries, ref)).attempts.length, 1);
    },
  },
};
