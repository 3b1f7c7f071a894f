import assert from 'node:assert/strict';
import { tally } from '../../actions/outcomes.ts';
import { pluck } from '../../actions/pluck.ts';
import { webhookSuite } from '../../fixtures/webhook-fixture.ts';
import {
  attemptEnd,
  CLAIM,
  DELIVERED,
  EXHAUSTED,
  notStartedEnd,
  retryIn,
} from '../../samples/attempt-samples.ts';

export const deliveryEnds = webhookSuite('deliveries: completion', {
  'returns stale to a second completion and to a completion after the lease expired': async (t) => {
    const ref = await t.registerWithMessages(1);
    const lostAttempt = await t.claimSingle();
    t.clock.advance(CLAIM.leaseMs);
    const secondAttempt = await t.claimSingle();
    for (const end of [
      attemptEnd(lostAttempt, DELIVERED),
      attemptEnd(lostAttempt, retryIn(1)),
      notStartedEnd(lostAttempt),
    ]) {
      assert.deepEqual(await t.completeEnds([end]), [{ outcome: 'stale' }]);
    }
    assert.equal((await t.onlyDelivery(ref)).state, 'sending');
    await t.complete([secondAttempt], DELIVERED);
    assert.deepEqual(await t.completeEnds([attemptEnd(secondAttempt, retryIn(1))]), [
      { outcome: 'stale' },
    ]);
    assert.equal((await t.onlyDelivery(ref)).state, 'delivered');
  },

  'completes the other attempts of a call if one is stale, with results in order': async (t) => {
    const ref = await t.registerWithMessages(3);
    const [first, second, third] = await t.claimExactly(3);
    await t.complete([first], DELIVERED);
    const ends = [first, second, third].map((attempt) => attemptEnd(attempt, DELIVERED));
    const results = await t.completeEnds(ends);
    assert.deepEqual(pluck(results, 'outcome'), ['stale', 'completed', 'completed']);
    assert.deepEqual(pluck(await t.list(ref), 'state'), ['delivered', 'delivered', 'delivered']);
  },

  'returns stale once the attempt was claimed again, even with the same number': async (t) => {
    const ref = await t.registerWithMessages(1);
    const failedAttempt = await t.claimSingle();
    await t.complete([failedAttempt], retryIn(0));
    const returned = await t.claimSingle();
    const staleResults = [{ outcome: 'stale' }];
    assert.deepEqual(await t.completeEnds([attemptEnd(failedAttempt, DELIVERED)]), staleResults);
    // A returned attempt is claimed again with the same number.
    await t.completeEnds([notStartedEnd(returned)]);
    t.clock.advance(1);
    const currentAttempt = await t.claimSingle();
    assert.equal(currentAttempt.attempt, returned.attempt);
    for (const end of [notStartedEnd(returned), attemptEnd(returned, DELIVERED)]) {
      assert.deepEqual(await t.completeEnds([end]), staleResults);
    }
    // Nor can another account or webhook complete the attempt.
    for (const change of [{ accountId: 8 }, { webhookId: 'w2' }]) {
      const foreign = { ...attemptEnd(currentAttempt, DELIVERED), ...change };
      assert.deepEqual(await t.completeEnds([foreign]), staleResults);
    }
    assert.equal((await t.onlyDelivery(ref)).state, 'sending');
    await t.complete([currentAttempt], DELIVERED);
  },

  'frees no permit on a stale completion': async (t) => {
    for (const [accountId, limits] of [
      [1, { maxInFlightPerWebhook: 2 }],
      [2, { maxInFlightPerAccount: 2 }],
    ] as const) {
      await t.register('w1', { accountId });
      await t.publishAll(9, { accountId });
      const lostAttempts = await t.claimAll(limits);
      t.clock.advance(CLAIM.leaseMs);
      const [first] = await t.claimExactly(2, limits);
      await t.complete([first], DELIVERED);
      const lateEnds = [...lostAttempts, first].map((attempt) => attemptEnd(attempt, DELIVERED));
      assert.deepEqual(tally(await t.completeEnds(lateEnds)), { stale: 3 });
      assert.equal((await t.claimAll(limits)).length, 1);
      await t.webhooks.remove({ accountId, webhookId: 'w1' });
    }
  },

  'completes an attempt once if a call contains it twice': async (t) => {
    const ref = await t.registerWithMessages(1);
    const end = attemptEnd(await t.claimSingle(), EXHAUSTED);
    const results = await t.completeEnds([end, end]);
    assert.deepEqual(tally(results), { completed: 1, stale: 1 });
    assert.equal((await t.onlyDelivery(ref)).attempts.length, 1);
  },
});
