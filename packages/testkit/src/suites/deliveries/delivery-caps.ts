import assert from 'node:assert/strict';
import type { ClaimedAttempt } from '@latchhook/core/storage';
import { tally } from '../../actions/outcomes.ts';
import {
  deliveryIds,
  type WebhookConnection,
  type WebhookFixture,
  webhookSuite,
} from '../../fixtures/webhook-fixture.ts';
import {
  attemptEnd,
  CLAIM,
  DELIVERED,
  GONE,
  notStartedEnd,
  retryIn,
} from '../../samples/attempt-samples.ts';
import { MINUTE_MS } from '../../samples/login-samples.ts';

const WEBHOOKS = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6'];

export const deliveryCaps = webhookSuite('deliveries: attempts in flight', {
  'limits attempts in flight per webhook until an attempt ends': async (t) => {
    await t.registerWithMessages(20);
    const request = { limit: 2, maxInFlightPerWebhook: 5 };
    const claims = await t.inParallel(16, (storage) => storage.claimAll(request));
    const attempts = claims.flat();
    assert.equal(attempts.length, 5);
    await t.claimNothing(request);
    const [first, second] = attempts;
    assert.ok(first && second);
    await t.complete([first], DELIVERED);
    await t.completeEnds([notStartedEnd(second)]);
    assert.equal((await t.claimAll(request)).length, 2);
    await t.claimNothing(request);
  },

  'delivers all messages one at a time while claims and completions interleave': async (t) => {
    await t.register('w1');
    const count = 40;
    await t.publishAll(count);
    const request = { ...CLAIM, maxInFlightPerWebhook: 1 };
    let delivered = 0;
    const work = async (connection: WebhookConnection) => {
      // The bound ends the loop before a lease expires: an expiry would hide that the store never claims from a
      // blocked webhook again.
      for (let claims = 0; claims < 10 * count && delivered < count; claims += 1) {
        const { attempts } = await connection.deliveries.claim(request);
        assert.ok(attempts.length <= 1);
        if (attempts.length === 0) continue;
        await connection.complete(attempts, DELIVERED);
        delivered += attempts.length;
        t.clock.advance(20);
      }
    };
    await Promise.all((await t.connections(4)).map(work));
    assert.equal(delivered, count);
  },

  'limits attempts in flight per account, without delaying other accounts': async (t) => {
    const limits = { maxInFlightPerAccount: 6 };
    for (const webhookId of ['w1', 'w2', 'w3']) await t.register(webhookId);
    await t.register('w4', { accountId: 8 });
    await t.publishAll(5);
    t.clock.advance(1);
    assert.equal((await t.claimAll(limits)).length, 6);
    await t.publishOne('n1', { accountId: 8 });
    t.clock.advance(1);
    assert.deepEqual(deliveryIds(await t.claimAll(limits)), ['n1']);
  },

  'counts attempts in flight of an account over all connections': async (t) => {
    for (const webhookId of ['w1', 'w2', 'w3', 'w4']) await t.register(webhookId);
    await t.publishAll(5);
    const request = { limit: 2, maxInFlightPerAccount: 7 };
    const claims = await t.inParallel(16, (connection) => connection.claimAll(request));
    assert.equal(claims.flat().length, 7);
  },

  'frees the permits of the account when a webhook is removed': async (t) => {
    const ref = await t.register('w1');
    await t.register('w2');
    const limits = { maxInFlightPerAccount: 3 };
    await t.publishAll(3, { webhookId: 'w1' });
    const attempts = await t.claimAll(limits);
    await t.webhooks.remove(ref);
    const ends = attempts.map((attempt) => attemptEnd(attempt, DELIVERED));
    assert.deepEqual(tally(await t.completeEnds(ends)), { stale: 3 });
    for (const id of ['n1', 'n2', 'n3']) await t.publishOne(id, { webhookId: 'w2' });
    t.clock.advance(1);
    assert.equal((await t.claimAll(limits)).length, 3);
    assert.equal(await t.deliveries.list(ref, { limit: 1, after: null }), null);
  },

  'starves no webhook of an account that is at its limit': async (t) => {
    for (const webhookId of WEBHOOKS) await t.register(webhookId);
    await t.publishAll(60);
    for (const maxInFlightPerAccount of [1, 5]) {
      const served = new Set<string>();
      for (let round = 0; round < 2 * WEBHOOKS.length; round += 1) {
        t.clock.advance(1);
        const attempts = await t.claimAll({ maxInFlightPerAccount });
        assert.equal(attempts.length, maxInFlightPerAccount);
        for (const { webhookId } of attempts) served.add(webhookId);
        t.clock.advance(1);
        await t.complete(attempts, DELIVERED);
      }
      assert.deepEqual([...served].toSorted(), WEBHOOKS);
    }
  },

  'skips removed and disabled webhooks when permits of the account become free': async (t) => {
    const { limits, last } = await fillAccount(t);
    await t.webhooks.remove({ accountId: 7, webhookId: 'w3' });
    await t.complete([last], GONE);
    assert.deepEqual(deliveryIds(await t.claimAll(limits)), ['of-w4']);
  },

  'gives a freed permit to the next webhook if the first is removed': async (t) => {
    const { limits, last } = await fillAccount(t);
    await t.complete([last], DELIVERED);
    await t.webhooks.remove({ accountId: 7, webhookId: 'w2' });
    assert.deepEqual(deliveryIds(await t.claimAll(limits)), ['of-w3']);
  },

  'gives a freed permit to the next webhook if the first is disabled': async (t) => {
    const { limits, first, last } = await fillAccount(t);
    await t.complete([first], DELIVERED);
    await t.complete([last], GONE);
    assert.deepEqual(deliveryIds(await t.claimAll(limits)), ['of-w3', 'of-w4']);
  },

  'skips webhooks in backoff when permits of the account become free': async (t) => {
    const { limits, first, last } = await fillAccount(t);
    await t.complete([last], retryIn(MINUTE_MS), { backoffMs: MINUTE_MS });
    assert.deepEqual(deliveryIds(await t.claimAll(limits)), ['of-w3']);
    t.clock.advance(1);
    await t.complete([first], DELIVERED);
    assert.deepEqual(deliveryIds(await t.claimAll(limits)), ['of-w4']);
  },

  'reuses all freed permits, whether attempts complete one by one or in one call': async (t) => {
    const webhookIds = ['w1', 'w2', 'w3'];
    for (const webhookId of webhookIds) await t.register(webhookId);
    const limits = { maxInFlightPerAccount: 3 };
    await t.publishAll(3, { webhookId: 'w1' });
    let inFlight = await t.claimAll(limits);
    for (const endsPerCall of [1, 3]) {
      for (const webhookId of webhookIds) {
        await t.publishOne(`${webhookId} ${endsPerCall}`, { webhookId });
      }
      await t.claimNothing(limits);
      for (let i = 0; i < 3; i += endsPerCall) {
        await t.complete(inFlight.slice(i, i + endsPerCall), DELIVERED);
      }
      inFlight = await t.claimAll(limits);
      assert.equal(inFlight.length, 3);
    }
  },
});

/**
 * Fills an account that may have two attempts in flight: one of `w1` (`first`) and one of `w2` (`last`). Then
 * one delivery each to `w2`, `w3` and `w4` waits, in this order.
 */
async function fillAccount(t: WebhookFixture): Promise<{
  readonly limits: { readonly maxInFlightPerAccount: number };
  readonly first: ClaimedAttempt;
  readonly last: ClaimedAttempt;
}> {
  const limits = { maxInFlightPerAccount: 2 };
  const start = async (webhookId: string): Promise<ClaimedAttempt> => {
    await t.register(webhookId);
    await t.publishOne(`first-of-${webhookId}`, { webhookId });
    return t.claimSingle(limits);
  };
  const first = await start('w1');
  const last = await start('w2');
  for (const webhookId of ['w2', 'w3', 'w4']) {
    if (webhookId !== 'w2') await t.register(webhookId);
    await t.publishOne(`of-${webhookId}`, { webhookId });
    t.clock.advance(1);
    await assertFull(t, limits);
  }
  return { limits, first, last };
}

async function assertFull(
  t: WebhookFixture,
  limits: { readonly maxInFlightPerAccount: number },
): Promise<void> {
  const { attempts, nextInMs } = await t.claimOnce(limits);
  assert.deepEqual(attempts, []);
  assert.ok(nextInMs !== null && nextInMs <= CLAIM.leaseMs);
}
