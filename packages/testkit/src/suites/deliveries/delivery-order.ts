import assert from 'node:assert/strict';
import {
  CLAIM,
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
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { SECOND_MS } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

export const deliveryOrder: Suite<WebhookFixture> = {
  name: 'deliveries: order',
  cases: {
    'claims first attempts in the order of publishing': async ({ webhooks, deliveries }) => {
      await register(webhooks, 'w1');
      const ids = await publishAll(deliveries, 40);
      assert.deepEqual(names(await claimAll(deliveries, { limit: 7 })), ids);
    },

    'claims no more attempts than the limit of the request': async ({ webhooks, deliveries }) => {
      await register(webhooks, 'w1');
      await register(webhooks, 'w2');
      await publishAll(deliveries, 20);
      for (const limit of [1, 3, 10, 20]) {
        assert.equal((await claimOnce(deliveries, { limit })).attempts.length, limit);
      }
    },

    'makes a retry due when its delay is over, to the millisecond': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      await complete(deliveries, await claimAll(deliveries), retryIn(5_000));
      await publishOne(deliveries, 'n1');
      const { attempts, nextInMs } = await claimOnce(deliveries);
      assert.deepEqual([...names(attempts), nextInMs], ['n1', 5_000]);
      clock.advance(4_999);
      assert.deepEqual(await claimOnce(deliveries), { attempts: [], poisoned: [], nextInMs: 1 });
      clock.advance(1);
      const [again] = await claimAll(deliveries);
      assert.deepEqual(
        [again?.deliveryId, again?.attempt, again?.failures, again?.notCounted],
        ['m1', 2, 1, 0],
      );
    },

    'claims retries in the order of their due times': async ({ webhooks, deliveries, clock }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 3);
      const [first, second, third] = await claimAll(deliveries);
      assert.ok(first && second && third);
      await complete(deliveries, [first], retryIn(300));
      await complete(deliveries, [second], retryIn(100));
      await complete(deliveries, [third], retryIn(200));
      clock.advance(300);
      assert.deepEqual(names(await claimAll(deliveries)), ['m2', 'm3', 'm1']);
    },

    'alternates between retries and first attempts while both are due': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      const ids = await publishAll(deliveries, 4);
      for (const [i, attempt] of (await claimAll(deliveries)).entries()) {
        await complete(deliveries, [attempt], retryIn(100 + i));
      }
      clock.advance(200);
      for (const id of ['n1', 'n2', 'n3']) await publishOne(deliveries, id);
      const order: string[] = [];
      for (let i = 0; i < 7; i += 1) {
        order.push(...names((await claimOnce(deliveries, { limit: 1 })).attempts));
      }
      const expected = [ids[0], 'n1', ids[1], 'n2', ids[2], 'n3', ids[3]];
      assert.deepEqual(order, expected);
    },

    'claims a returned attempt first, with number and failures unchanged': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 6);
      const claimed = (await claimOnce(deliveries, { limit: 3 })).attempts;
      const answers = await deliveries.complete(claimed.map(notStarted), COMPLETE);
      assert.deepEqual(new Set(answers.map(({ outcome }) => outcome)), new Set(['completed']));
      clock.advance(1);
      const again = await claimAll(deliveries);
      assert.deepEqual(names(again), ['m1', 'm2', 'm3', 'm4', 'm5', 'm6']);
      assert.ok(again.every(({ attempt, failures }) => attempt === 1 && failures === 0));
    },

    'claims a returned retry first, with the same attempt number': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      await complete(deliveries, await claimAll(deliveries), retryIn(100));
      clock.advance(100);
      const [retry] = await claimAll(deliveries);
      assert.ok(retry);
      await deliveries.complete([notStarted(retry)], COMPLETE);
      await publishOne(deliveries, 'n1');
      clock.advance(1);
      const again = await claimAll(deliveries);
      assert.deepEqual(names(again), ['m1', 'n1']);
      assert.equal(again[0]?.attempt, 2);
      await complete(deliveries, again, DELIVERED);
      const attempts = (await deliveries.list(ref, { limit: 2, after: null }))?.[1]?.attempts;
      assert.deepEqual(
        attempts?.map(({ attempt }) => attempt),
        [1, 2],
      );
    },

    'serves webhooks round-robin: a burst to one delays no other': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 300, { webhookId: 'w1' });
      await claimOnce(deliveries, { limit: 1 });
      clock.advance(1);
      await register(webhooks, 'w2');
      await publishOne(deliveries, 'late', { webhookId: 'w2' });
      clock.advance(1);
      const taken = [];
      for (let i = 0; i < 2; i += 1) {
        taken.push(...(await claimOnce(deliveries, { limit: 50 })).attempts);
      }
      assert.ok(names(taken).includes('late'), 'the other webhook was not served');
    },

    'serves webhooks round-robin: the longest waiting comes first': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      for (const webhookId of ['w1', 'w2', 'w3']) {
        await register(webhooks, webhookId);
        for (let i = 0; i < 9; i += 1) {
          await publishOne(deliveries, `${webhookId} ${i}`, { webhookId });
        }
        clock.advance(1);
      }
      const served: string[] = [];
      for (let i = 0; i < 7; i += 1) {
        const { attempts } = await claimOnce(deliveries, { limit: 1 });
        served.push(...attempts.map(({ webhookId }) => webhookId));
        clock.advance(1);
      }
      // After the first one, which may find that the others have only just arrived.
      for (const round of [served.slice(1, 4), served.slice(4)]) {
        assert.deepEqual(round.toSorted(), ['w1', 'w2', 'w3']);
      }
    },

    'returns in nextInMs when to claim again': async ({ webhooks, deliveries, clock }) => {
      await register(webhooks, 'w1', { rateLimit: 1 });
      assert.equal((await claimOnce(deliveries)).nextInMs, null);
      await publishAll(deliveries, 2);
      const { nextInMs } = await claimOnce(deliveries);
      assert.equal(nextInMs, SECOND_MS + 200);
      clock.advance(SECOND_MS + 199);
      assert.equal((await claimOnce(deliveries)).nextInMs, 1);
      clock.advance(1);
      assert.deepEqual(names(await claimAll(deliveries)), ['m2']);
      const { nextInMs: leaseEndsInMs } = await claimOnce(deliveries);
      assert.ok(leaseEndsInMs !== null && leaseEndsInMs <= CLAIM.leaseMs);
    },
  },
};
