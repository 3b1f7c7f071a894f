import assert from 'node:assert/strict';
import { deliveryIds, webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { CLAIM, DELIVERED, notStartedEnd, retryIn } from '../../samples/attempt-samples.ts';
import { POLICY, SECOND_MS } from '../../samples/webhook-samples.ts';

const { maxStalledAttempts } = POLICY;
const LONG_LEASE_MS = 50 * SECOND_MS;
const SHORT_LEASE_MS = 9 * SECOND_MS;

export const deliveryLeases = webhookSuite('deliveries: leases', {
  'claims each attempt once over all connections': async (t) => {
    await t.register('w1');
    await t.register('w2');
    await t.publishAll(60);
    const claims = await t.inParallel(40, (connection) => connection.claimAll({ limit: 5 }));
    const names = claims.flat().map((each) => `${each.webhookId} ${each.deliveryId}`);
    assert.equal(new Set(names).size, names.length);
    assert.equal(names.length, 120);
  },

  'claims a delivery again in the millisecond that its lease expires, and logs the lost attempt':
    async (t) => {
      const ref = await t.registerWithMessages(1);
      const lostAttempt = await t.claimSingle();
      await t.elapseCheckingJustBefore(CLAIM.leaseMs, () => t.claimNothing());
      const secondAttempt = await t.claimSingle();
      assert.deepEqual([secondAttempt.attempt, secondAttempt.failures], [2, 0]);
      await t.complete([secondAttempt], DELIVERED);
      const { state, attempts } = await t.onlyDelivery(ref);
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

  'claims stalled attempts before retries and first attempts': async (t) => {
    await t.registerWithMessages(3);
    const retried = (await t.claimOnce({ limit: 1 })).attempts;
    await t.claimExactly(2);
    await t.complete(retried, retryIn(1));
    t.clock.advance(CLAIM.leaseMs);
    await t.publishOne('n1');
    const order: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      order.push(...deliveryIds((await t.claimOnce({ limit: 1 })).attempts));
    }
    assert.deepEqual(order.slice(0, 2), ['m2', 'm3']);
    assert.deepEqual(order.slice(2).toSorted(), ['m1', 'n1']);
  },

  'claims a stalled attempt again even if the clock was set back': async (t) => {
    await t.register('w1');
    await t.claimOnce();
    await t.publishAll(1);
    t.clock.setBack(2 * CLAIM.leaseMs);
    await t.claimSingle();
    t.clock.advance(CLAIM.leaseMs);
    assert.equal((await t.claimSingle()).attempt, 2);
  },

  'returns a nextInMs no later than the end of the first lease': async (t) => {
    await t.registerWithMessages(2);
    await t.claimOnce({ limit: 1 });
    t.clock.advance(SECOND_MS);
    const { nextInMs } = await t.claimOnce();
    assert.ok(nextInMs !== null && nextInMs <= CLAIM.leaseMs - SECOND_MS);
  },

  'leaves a lease unchanged by the leaseMs of later claims': async (t) => {
    await t.registerWithMessages(2);
    await t.claimOnce({ limit: 1, leaseMs: LONG_LEASE_MS });
    assert.equal((await t.claimSingle({ leaseMs: SHORT_LEASE_MS })).deliveryId, 'm2');
    t.clock.advance(SHORT_LEASE_MS);
    // This lease of `m2` is the default, and ends before that of `m1`.
    assert.equal((await t.claimSingle()).deliveryId, 'm2');
    t.clock.advance(CLAIM.leaseMs - 1);
    await t.claimNothing();
    // To the end of the lease of `m1`.
    t.clock.advance(LONG_LEASE_MS - SHORT_LEASE_MS - CLAIM.leaseMs + 1);
    assert.deepEqual(deliveryIds(await t.claimAll()).toSorted(), ['m1', 'm2']);
  },

  'reports a delivery as poison, once, if maxStalledAttempts leases expire in a row': async (t) => {
    const ref = await t.registerWithMessages(1);
    for (let attemptNumber = 1; attemptNumber < maxStalledAttempts; attemptNumber += 1) {
      assert.equal((await t.claimSingle()).attempt, attemptNumber);
      t.clock.advance(CLAIM.leaseMs);
    }
    // A returned attempt does not reset the count.
    await t.completeEnds([notStartedEnd(await t.claimSingle())]);
    t.clock.advance(1);
    await t.claimSingle();
    t.clock.advance(CLAIM.leaseMs);
    const { attempts, poisoned } = await t.claimOnce();
    assert.deepEqual(attempts, []);
    assert.deepEqual(poisoned, [{ accountId: 7, webhookId: 'w1', deliveryId: 'm1' }]);
    assert.deepEqual((await t.claimOnce()).poisoned, []);
    const { state, deadReason, attempts: log } = await t.onlyDelivery(ref);
    assert.deepEqual([state, deadReason, log.length], ['dead', 'poison', maxStalledAttempts]);
  },

  'resets the count of expired leases when an attempt completes': async (t) => {
    await t.registerWithMessages(1);
    for (let round = 0; round < 3; round += 1) {
      for (let expiredLeases = 1; expiredLeases < maxStalledAttempts; expiredLeases += 1) {
        await t.claimSingle();
        t.clock.advance(CLAIM.leaseMs);
      }
      await t.complete([await t.claimSingle()], retryIn(1));
      t.clock.advance(1);
    }
    assert.equal((await t.claimSingle()).failures, 3);
  },

  'frees the permits of webhook and account when a lease expires': async (t) => {
    await t.registerWithMessages(6);
    const limits = { maxInFlightPerWebhook: 2, maxInFlightPerAccount: 2 };
    assert.equal((await t.claimAll(limits)).length, 2);
    t.clock.advance(CLAIM.leaseMs);
    assert.equal((await t.claimAll(limits)).length, 2);
    await t.claimNothing(limits);
  },
});
