import assert from 'node:assert/strict';
import {
  COMPLETE,
  claimAll,
  claimOnce,
  complete,
  DELIVERED,
  names,
  notStarted,
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import { SECOND_MS } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { ClaimTrial } from '../../trials/claim-trial.ts';

export const claimOrder: Suite<ClaimTrial> = {
  name: 'deliveries: order',
  claims: {
    'hands out first tries in the order of publishing': async ({ webhooks, claims }) => {
      await register(webhooks, 'w1');
      const ids = await publishAll(claims, 40);
      assert.deepEqual(names(await claimAll(claims, { limit: 7 })), ids);
    },

    'hands out no more than it was asked for': async ({ webhooks, claims }) => {
      await register(webhooks, 'w1');
      await register(webhooks, 'w2');
      await publishAll(claims, 20);
      for (const limit of [1, 3, 10]) {
        assert.equal((await claimOnce(claims, { limit })).attempts.length, limit);
      }
    },

    'makes a retry due when its delay is over, to the millisecond': async ({
      webhooks,
      claims,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(claims, 1);
      await complete(claims, await claimAll(claims), retryIn(5_000));
      clock.advance(4_999);
      assert.deepEqual(await claimOnce(claims), { attempts: [], poisoned: [], nextInMs: 1 });
      clock.advance(1);
      const [again] = await claimAll(claims);
      assert.deepEqual(
        [again?.deliveryId, again?.attempt, again?.failures, again?.notCounted],
        ['m1', 2, 1, 0],
      );
    },

    'hands out retries by when they are due': async ({ webhooks, claims, clock }) => {
      await register(webhooks, 'w1');
      await publishAll(claims, 3);
      const [first, second, third] = await claimAll(claims);
      assert.ok(first && second && third);
      await complete(claims, [first], retryIn(300));
      await complete(claims, [second], retryIn(100));
      await complete(claims, [third], retryIn(200));
      clock.advance(300);
      assert.deepEqual(names(await claimAll(claims)), ['m2', 'm3', 'm1']);
    },

    'alternates between retries and first tries while both wait': async ({
      webhooks,
      claims,
      clock,
    }) => {
      await register(webhooks, 'w1');
      const ids = await publishAll(claims, 4);
      for (const [nth, attempt] of (await claimAll(claims)).entries()) {
        await complete(claims, [attempt], retryIn(100 + nth));
      }
      clock.advance(200);
      for (const id of ['n1', 'n2', 'n3']) await publishOne(claims, id);
      const order: string[] = [];
      for (let nth = 0; nth < 7; nth += 1) {
        order.push(...names((await claimOnce(claims, { limit: 1 })).attempts));
      }
      const expected = [ids[0], 'n1', ids[1], 'n2', ids[2], 'n3', ids[3]];
      assert.deepEqual(order, expected);
    },

    'hands out what was claimed and not started before all else, as it was': async ({
      webhooks,
      claims,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(claims, 6);
      const claimed = (await claimOnce(claims, { limit: 3 })).attempts;
      const answers = await claims.complete(claimed.map(notStarted), COMPLETE);
      assert.deepEqual(new Set(answers.map(({ outcome }) => outcome)), new Set(['completed']));
      clock.advance(1);
      const again = await claimAll(claims);
      assert.deepEqual(names(again), ['m1', 'm2', 'm3', 'm4', 'm5', 'm6']);
      assert.ok(again.every(({ attempt, failures }) => attempt === 1 && failures === 0));
    },

    'puts a retry that was not started back before all else, with its number': async ({
      webhooks,
      claims,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(claims, 1);
      await complete(claims, await claimAll(claims), retryIn(100));
      clock.advance(100);
      const [retry] = await claimAll(claims);
      assert.ok(retry);
      await claims.complete([notStarted(retry)], COMPLETE);
      await publishOne(claims, 'n1');
      clock.advance(1);
      const again = await claimAll(claims);
      assert.deepEqual(names(again), ['m1', 'n1']);
      assert.equal(again[0]?.attempt, 2);
      await complete(claims, again, DELIVERED);
      const attempts = (await claims.list(ref, { limit: 2, after: null }))?.[1]?.attempts;
      assert.deepEqual(
        attempts?.map(({ attempt }) => attempt),
        [1, 2],
      );
    },

    'serves webhooks in turn: a burst to one keeps no other waiting': async ({
      webhooks,
      claims,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(claims, 300, { webhookId: 'w1' });
      await claimOnce(claims, { limit: 1 });
      clock.advance(1);
      await register(webhooks, 'w2');
      await publishOne(claims, 'late', { webhookId: 'w2' });
      clock.advance(1);
      const taken = [];
      for (let nth = 0; nth < 2; nth += 1) {
        taken.push(...(await claimOnce(claims, { limit: 50 })).attempts);
      }
      assert.ok(names(taken).includes('late'), 'the other webhook was not served');
    },

    'says when to claim again': async ({ webhooks, claims, clock }) => {
      await register(webhooks, 'w1', { rateLimit: 1 });
      assert.equal((await claimOnce(claims)).nextInMs, null);
      await publishAll(claims, 2);
      const { nextInMs } = await claimOnce(claims);
      assert.equal(nextInMs, SECOND_MS + 200);
      clock.advance(SECOND_MS + 199);
      assert.equal((await claimOnce(claims)).nextInMs, 1);
      clock.advance(1);
      assert.deepEqual(names(await claimAll(claims)), ['m2']);
      assert.equal((await claimOnce(claims)).nextInMs, null);
    },
  },
};
