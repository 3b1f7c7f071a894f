import assert from 'node:assert/strict';
import {
  CLAIM,
  COMPLETE,
  claimAll,
  claimOnce,
  claimSingle,
  complete,
  DELIVERED,
  ended,
  names,
  notStarted,
  onlyListed,
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { register } from '../../actions/register-webhook.ts';
import type { Suite } from '../../suite.ts';
import type { ClaimStores, ClaimTrial } from '../../trials/claim-trial.ts';

export const claimLeases: Suite<ClaimTrial> = {
  name: 'deliveries: leases',
  claims: {
    'hands out no attempt twice, over all connections': async ({
      webhooks,
      claims,
      connections,
    }) => {
      await register(webhooks, 'w1');
      await register(webhooks, 'w2');
      await publishAll(claims, 60);
      const answers = await inParallel(40, await connections(8), (storage) =>
        storage.claims.claim({ ...CLAIM, limit: 5 }),
      );
      const taken = answers
        .flatMap(({ attempts }) => attempts)
        .map((each) => `${each.webhookId} ${each.deliveryId}`);
      assert.equal(new Set(taken).size, taken.length);
      assert.equal(taken.length, 120);
    },

    'hands an attempt out again when its lease is over, to the millisecond, and logs it as lost':
      async ({ webhooks, claims, clock }) => {
        const ref = await register(webhooks, 'w1');
        await publishAll(claims, 1);
        const lost = await claimSingle(claims);
        clock.advance(CLAIM.leaseMs - 1);
        assert.deepEqual(await claimAll(claims), []);
        clock.advance(1);
        const again = await claimSingle(claims);
        assert.deepEqual([again.attempt, again.failures], [2, 0]);
        await complete(claims, [again], DELIVERED);
        const { state, attempts } = await onlyListed(claims, ref);
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

    'is stale for who completes an attempt whose lease is over, or completes it twice': async ({
      webhooks,
      claims,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(claims, 1);
      const lost = await claimSingle(claims);
      clock.advance(CLAIM.leaseMs);
      const again = await claimSingle(claims);
      for (const end of [ended(lost, DELIVERED), ended(lost, retryIn(1)), notStarted(lost)]) {
        assert.deepEqual(await claims.complete([end], COMPLETE), [{ outcome: 'stale' }]);
      }
      assert.equal((await onlyListed(claims, ref)).state, 'sending');
      await complete(claims, [again], DELIVERED);
      assert.deepEqual(await claims.complete([ended(again, retryIn(1))], COMPLETE), [
        { outcome: 'stale' },
      ]);
      assert.equal((await onlyListed(claims, ref)).state, 'delivered');
    },

    'answers each of many in their order, and changes what is not stale': async ({
      webhooks,
      claims,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(claims, 3);
      const [first, second, third] = await claimAll(claims);
      assert.ok(first && second && third);
      await complete(claims, [second], DELIVERED);
      const ends = [first, second, third].map((attempt) => ended(attempt, DELIVERED));
      const answers = await claims.complete(ends, COMPLETE);
      assert.deepEqual(
        answers.map(({ outcome }) => outcome),
        ['completed', 'stale', 'completed'],
      );
    },

    'gives a delivery up as poison whose leases were lost in a row, and says so once': async ({
      webhooks,
      claims,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(claims, 1);
      for (let lost = 1; lost <= 4; lost += 1) {
        assert.equal((await claimSingle(claims)).attempt, lost);
        clock.advance(CLAIM.leaseMs);
      }
      await claimSingle(claims);
      clock.advance(CLAIM.leaseMs);
      const { attempts, poisoned } = await claimOnce(claims);
      assert.deepEqual(attempts, []);
      assert.deepEqual(poisoned, [{ accountId: 7, webhookId: 'w1', deliveryId: 'm1' }]);
      assert.deepEqual((await claimOnce(claims)).poisoned, []);
      const { state, deadReason, attempts: log } = await onlyListed(claims, ref);
      assert.deepEqual([state, deadReason, log.length], ['dead', 'poison', 5]);
    },

    'counts lost leases from anew after an attempt that ended': async ({
      webhooks,
      claims,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(claims, 1);
      for (let round = 0; round < 3; round += 1) {
        for (let lost = 0; lost < 4; lost += 1) {
          await claimSingle(claims);
          clock.advance(CLAIM.leaseMs);
        }
        await complete(claims, [await claimSingle(claims)], retryIn(1));
        clock.advance(1);
      }
      assert.equal((await claimSingle(claims)).failures, 3);
    },

    'lets no more attempts of a webhook be in flight than it may, and the next as one ends':
      async ({ webhooks, claims, connections }) => {
        await register(webhooks, 'w1');
        await publishAll(claims, 20);
        const request = { ...CLAIM, limit: 2, maxInFlightPerWebhook: 5 };
        const answers = await inParallel(16, await connections(4), (storage) =>
          storage.claims.claim(request),
        );
        const attempts = answers.flatMap((answer) => answer.attempts);
        assert.equal(attempts.length, 5);
        assert.deepEqual(await claimAll(claims, request), []);
        const [first, second] = attempts;
        assert.ok(first && second);
        await complete(claims, [first], DELIVERED);
        await claims.complete([notStarted(second)], COMPLETE);
        assert.equal((await claimAll(claims, request)).length, 2);
        assert.deepEqual(await claimAll(claims, request), []);
      },

    'goes on at its cap however claims and ends of attempts cross': async ({
      webhooks,
      claims,
      connections,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(claims, 40);
      const request = { ...CLAIM, maxInFlightPerWebhook: 1 };
      let delivered = 0;
      const work = async ({ claims: mine }: ClaimStores) => {
        // Well before a lease ends, which would free a webhook that was forgotten.
        for (let turn = 0; turn < 400 && delivered < 40; turn += 1) {
          const { attempts } = await mine.claim(request);
          assert.ok(attempts.length <= 1);
          if (attempts.length === 0) continue;
          await complete(mine, attempts, DELIVERED);
          delivered += attempts.length;
          clock.advance(20);
        }
      };
      await Promise.all((await connections(4)).map(work));
      assert.equal(delivered, 40);
    },

    'lets no more attempts of an account be in flight than it may, and none of others wait':
      async ({ webhooks, claims, clock }) => {
        const limits = { maxInFlightPerAccount: 6 };
        for (const webhookId of ['w1', 'w2', 'w3']) await register(webhooks, webhookId);
        await register(webhooks, 'w4', { accountId: 8 });
        await publishAll(claims, 5);
        clock.advance(1);
        const mine = await claimAll(claims, limits);
        assert.equal(mine.length, 6);
        await publishOne(claims, 'n1', { accountId: 8 });
        clock.advance(1);
        assert.deepEqual(names(await claimAll(claims, limits)), ['n1']);
        for (const some of [mine.slice(0, 3), mine.slice(3)]) {
          const ends = some.map((attempt) => ended(attempt, DELIVERED));
          for (const { outcome } of await claims.complete(ends, { ...COMPLETE, ...limits })) {
            assert.equal(outcome, 'completed');
          }
          assert.equal((await claimAll(claims, limits)).length, 3);
        }
      },

    'frees what was in flight of a webhook and its account when a lease is lost': async ({
      webhooks,
      claims,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(claims, 6);
      const limits = { maxInFlightPerWebhook: 2, maxInFlightPerAccount: 2 };
      assert.equal((await claimAll(claims, limits)).length, 2);
      clock.advance(CLAIM.leaseMs);
      assert.equal((await claimAll(claims, limits)).length, 2);
      assert.deepEqual(await claimAll(claims, limits), []);
    },

    'frees the account of what is in flight when its webhook is removed, and ends it': async ({
      webhooks,
      claims,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await register(webhooks, 'w2');
      const limits = { maxInFlightPerAccount: 3 };
      await publishAll(claims, 3, { webhookId: 'w1' });
      const gone = await claimAll(claims, limits);
      await webhooks.remove(ref);
      const ends = gone.map((attempt) => ended(attempt, DELIVERED));
      for (const { outcome } of await claims.complete(ends, { ...COMPLETE, ...limits })) {
        assert.equal(outcome, 'stale');
      }
      for (const id of ['n1', 'n2', 'n3']) await publishOne(claims, id, { webhookId: 'w2' });
      clock.advance(1);
      assert.equal((await claimAll(claims, limits)).length, 3);
      assert.equal(await claims.list(ref, { limit: 1, after: null }), null);
    },
  },
};
