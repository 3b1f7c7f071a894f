import assert from 'node:assert/strict';
import type { ClaimedAttempt, DeliveryStore } from '@latchhook/core/storage';
import {
  attemptEnd,
  CLAIM,
  COMPLETE,
  claimAll,
  claimOnce,
  claimSingle,
  completeAttempts,
  DELIVERED,
  deliveryIds,
  GONE,
  notStartedEnd,
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture, WebhookStores } from '../../fixtures/webhook-fixture.ts';
import { MINUTE_MS } from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

const WEBHOOKS = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6'];

export const deliveryCaps: Suite<WebhookFixture> = {
  name: 'deliveries: attempts in flight',
  cases: {
    'limits attempts in flight per webhook until an attempt ends': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 20);
      const request = { limit: 2, maxInFlightPerWebhook: 5 };
      const claims = await inParallel(16, await connections(4), (storage) =>
        claimAll(storage.deliveries, request),
      );
      const attempts = claims.flat();
      assert.equal(attempts.length, 5);
      assert.deepEqual(await claimAll(deliveries, request), []);
      const [first, second] = attempts;
      assert.ok(first && second);
      await completeAttempts(deliveries, [first], DELIVERED);
      await deliveries.complete([notStartedEnd(second)], COMPLETE);
      assert.equal((await claimAll(deliveries, request)).length, 2);
      assert.deepEqual(await claimAll(deliveries, request), []);
    },

    'delivers all messages at a limit of one attempt per webhook while claims and completions interleave':
      async ({ webhooks, deliveries, connections, clock }) => {
        await register(webhooks, 'w1');
        const count = 40;
        await publishAll(deliveries, count);
        const request = { ...CLAIM, maxInFlightPerWebhook: 1 };
        let delivered = 0;
        const work = async (connection: WebhookStores) => {
          // Ends before any lease expires, which would unblock a webhook that the store has lost.
          for (let claims = 0; claims < 10 * count && delivered < count; claims += 1) {
            const { attempts } = await connection.deliveries.claim(request);
            assert.ok(attempts.length <= 1);
            if (attempts.length === 0) continue;
            await completeAttempts(connection.deliveries, attempts, DELIVERED);
            delivered += attempts.length;
            clock.advance(20);
          }
        };
        await Promise.all((await connections(4)).map(work));
        assert.equal(delivered, count);
      },

    'limits attempts in flight per account, without delaying other accounts': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const limits = { maxInFlightPerAccount: 6 };
      for (const webhookId of ['w1', 'w2', 'w3']) await register(webhooks, webhookId);
      await register(webhooks, 'w4', { accountId: 8 });
      await publishAll(deliveries, 5);
      clock.advance(1);
      assert.equal((await claimAll(deliveries, limits)).length, 6);
      await publishOne(deliveries, 'n1', { accountId: 8 });
      clock.advance(1);
      assert.deepEqual(deliveryIds(await claimAll(deliveries, limits)), ['n1']);
    },

    'counts attempts in flight of an account over all connections': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      for (const webhookId of ['w1', 'w2', 'w3', 'w4']) await register(webhooks, webhookId);
      await publishAll(deliveries, 5);
      const request = { limit: 2, maxInFlightPerAccount: 7 };
      const claims = await inParallel(16, await connections(8), (storage) =>
        claimAll(storage.deliveries, request),
      );
      assert.equal(claims.flat().length, 7);
    },

    'frees the permits of an account when its webhook is removed': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await register(webhooks, 'w2');
      const limits = { maxInFlightPerAccount: 3 };
      await publishAll(deliveries, 3, { webhookId: 'w1' });
      const attempts = await claimAll(deliveries, limits);
      await webhooks.remove(ref);
      const ends = attempts.map((attempt) => attemptEnd(attempt, DELIVERED));
      for (const { outcome } of await deliveries.complete(ends, COMPLETE)) {
        assert.equal(outcome, 'stale');
      }
      for (const id of ['n1', 'n2', 'n3']) await publishOne(deliveries, id, { webhookId: 'w2' });
      clock.advance(1);
      assert.equal((await claimAll(deliveries, limits)).length, 3);
      assert.equal(await deliveries.list(ref, { limit: 1, after: null }), null);
    },

    'starves no webhook of an account that is at its limit': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      for (const webhookId of WEBHOOKS) await register(webhooks, webhookId);
      await publishAll(deliveries, 60);
      for (const maxInFlightPerAccount of [1, 5]) {
        const served = new Set<string>();
        for (let round = 0; round < 2 * WEBHOOKS.length; round += 1) {
          clock.advance(1);
          const attempts = await claimAll(deliveries, { maxInFlightPerAccount });
          assert.equal(attempts.length, maxInFlightPerAccount);
          for (const { webhookId } of attempts) served.add(webhookId);
          clock.advance(1);
          await completeAttempts(deliveries, attempts, DELIVERED);
        }
        assert.deepEqual([...served].toSorted(), WEBHOOKS);
      }
    },

    'skips removed and disabled webhooks when permits of the account become free': async (
      fixture,
    ) => {
      const { webhooks, deliveries } = fixture;
      const { limits, last } = await fillAccount(fixture);
      await webhooks.remove({ accountId: 7, webhookId: 'w3' });
      await completeAttempts(deliveries, [last], GONE);
      assert.deepEqual(deliveryIds(await claimAll(deliveries, limits)), ['of-w4']);
    },

    'skips webhooks in backoff when permits of the account become free': async (fixture) => {
      const { deliveries, clock } = fixture;
      const { limits, first, last } = await fillAccount(fixture);
      await completeAttempts(deliveries, [last], retryIn(MINUTE_MS), { backoffMs: MINUTE_MS });
      assert.deepEqual(deliveryIds(await claimAll(deliveries, limits)), ['of-w3']);
      clock.advance(1);
      await completeAttempts(deliveries, [first], DELIVERED);
      assert.deepEqual(deliveryIds(await claimAll(deliveries, limits)), ['of-w4']);
    },

    'reuses all freed permits, whether attempts complete one by one or in one call': async ({
      webhooks,
      deliveries,
    }) => {
      const webhookIds = ['w1', 'w2', 'w3'];
      for (const webhookId of webhookIds) await register(webhooks, webhookId);
      const limits = { maxInFlightPerAccount: 3 };
      await publishAll(deliveries, 3, { webhookId: 'w1' });
      let inFlight = await claimAll(deliveries, limits);
      for (const endsPerCall of [1, 3]) {
        for (const webhookId of webhookIds) {
          await publishOne(deliveries, `${webhookId} ${endsPerCall}`, { webhookId });
        }
        assert.deepEqual(await claimAll(deliveries, limits), []);
        for (let i = 0; i < 3; i += endsPerCall) {
          const batch = inFlight.slice(i, i + endsPerCall);
          const ends = batch.map((attempt) => attemptEnd(attempt, DELIVERED));
          for (const { outcome } of await deliveries.complete(ends, COMPLETE)) {
            assert.equal(outcome, 'completed');
          }
        }
        inFlight = await claimAll(deliveries, limits);
        assert.equal(inFlight.length, 3);
      }
    },
  },
};

/**
 * Fills an account that may have two attempts in flight: one of `w1` (`first`) and one of `w2` (`last`). Then
 * one delivery each to `w2`, `w3` and `w4` waits, in this order.
 */
async function fillAccount({ webhooks, deliveries, clock }: WebhookFixture): Promise<{
  readonly limits: { readonly maxInFlightPerAccount: number };
  readonly first: ClaimedAttempt;
  readonly last: ClaimedAttempt;
}> {
  const limits = { maxInFlightPerAccount: 2 };
  const start = async (webhookId: string): Promise<ClaimedAttempt> => {
    await register(webhooks, webhookId);
    await publishOne(deliveries, `first-of-${webhookId}`, { webhookId });
    return claimSingle(deliveries, limits);
  };
  const first = await start('w1');
  const last = await start('w2');
  for (const webhookId of ['w2', 'w3', 'w4']) {
    if (webhookId !== 'w2') await register(webhooks, webhookId);
    await publishOne(deliveries, `of-${webhookId}`, { webhookId });
    clock.advance(1);
    await assertFull(deliveries, limits);
  }
  return { limits, first, last };
}

async function assertFull(
  deliveries: DeliveryStore,
  limits: { readonly maxInFlightPerAccount: number },
): Promise<void> {
  const { attempts, nextInMs } = await claimOnce(deliveries, limits);
  assert.deepEqual(attempts, []);
  assert.ok(nextInMs !== null && nextInMs <= CLAIM.leaseMs);
}
