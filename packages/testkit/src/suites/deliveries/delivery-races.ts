import assert from 'node:assert/strict';
import { tally } from '../../actions/outcomes.ts';
import { pluck } from '../../actions/pluck.ts';
import { assertFound } from '../../actions/webhook-results.ts';
import { PROCESSES } from '../../fixtures/fixture.ts';
import { deliveryIds, webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { claimAll } from '../../model/read-all.ts';
import { attemptEnd, CLAIM, DELIVERED, EXHAUSTED, retryIn } from '../../samples/attempt-samples.ts';

/** A claim that is empty may ask for another at once, so each process claims until it waits. */
export const deliveryRaces = webhookSuite('deliveries: races between processes', {
  'gives a stalled attempt to one of 100 parallel claims': async (t) => {
    const ref = await t.registerWithMessages(1);
    await t.claimSingle();
    t.clock.advance(CLAIM.leaseMs);
    const claims = await t.inParallel(100, (connection) => claimAll(connection, {}));
    const attempts = claims.flatMap((claim) => claim.attempts);
    assert.deepEqual(pluck(attempts, 'attempt'), [2]);
    assert.equal((await t.onlyDelivery(ref)).attempts.length, 1);
  },

  'reports a poison message in one of 100 parallel claims': async (t) => {
    await t.registerWithMessages(1);
    await t.claimSingle();
    t.clock.advance(CLAIM.leaseMs);
    const claims = await t.inParallel(100, (connection) =>
      claimAll(connection, { maxStalledAttempts: 1 }),
    );
    assert.deepEqual(deliveryIds(claims.flatMap(({ poisoned }) => poisoned)), ['m1']);
    assert.deepEqual(
      claims.flatMap(({ attempts }) => attempts),
      [],
    );
  },

  'accepts one of 50 parallel completions of an attempt': async (t) => {
    const ref = await t.registerWithMessages(1);
    const attempt = await t.claimSingle();
    const results = await t.inParallel(50, (connection, i) =>
      connection.completeEnds([attemptEnd(attempt, i % 2 ? DELIVERED : retryIn(0))]),
    );
    assert.deepEqual(tally(results.flat()), { completed: 1, stale: 49 });
    assert.equal((await t.onlyDelivery(ref)).attempts.length, 1);
  },

  'redelivers once under 50 parallel calls': async (t) => {
    const ref = await t.registerWithMessages(1);
    await t.complete(await t.claimAll(), EXHAUSTED);
    const results = await t.inParallel(50, (connection) => connection.redeliver(ref, 'm1'));
    assert.deepEqual(tally(results), { due: 1, under_way: 49 });
    assert.equal((await t.deliveries.stats()).pending, 1);
    assert.equal((await t.claimSingle()).attempt, 2);
  },

  'redelivers each failed delivery once under parallel calls of redeliverFailed()': async (t) => {
    const ref = await t.register('w1');
    const ids = await t.publishAll(20);
    await t.complete(await t.claimAll(), EXHAUSTED);
    const batches = await t.inParallel(PROCESSES, async (connection) =>
      assertFound(await connection.deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 5 })),
    );
    assert.equal(
      batches.reduce((sum, { count }) => sum + count, 0),
      20,
    );
    assert.deepEqual(deliveryIds(await t.claimAll()).toSorted(), ids.toSorted());
  },
});
