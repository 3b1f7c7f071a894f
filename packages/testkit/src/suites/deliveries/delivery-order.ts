import assert from 'node:assert/strict';
import {
  CLAIM,
  COMPLETE,
  claimAll,
  claimOnce,
  completeAttempts,
  DELIVERED,
  deliveryIds,
  notStartedEnd,
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { RATE_WINDOW_MS, SECOND_MS } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

const DELAY_MS = 5 * SECOND_MS;

export const deliveryOrder: Suite<WebhookFixture> = {
  name: 'deliveries: order',
  cases: {
    'claims first attempts in the order of publishing': async ({ webhooks, deliveries }) => {
      await register(webhooks, 'w1');
      const ids = await publishAll(deliveries, 40);
      assert.deepEqual(deliveryIds(await claimAll(deliveries, { limit: 7 })), ids);
    },

    'claims no more attempts than the limit of the request': async ({ webhooks, deliveries }) => {
      await register(webhooks, 'w1');
      await register(webhooks, 'w2');
      await publishAll(deliveries, 20);
      for (const limit of [1, 3, 10, 20]) {
        assert.equal((await claimOnce(deliveries, { limit })).attempts.length, limit);
      }
    },

    'claims a retry in the millisecond that its delay ends': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      await completeAttempts(deliveries, await claimAll(deliveries), retryIn(DELAY_MS));
      await publishOne(deliveries, 'n1');
      const { attempts, nextInMs } = await claimOnce(deliveries);
      assert.deepEqual([...deliveryIds(attempts), nextInMs], ['n1', DELAY_MS]);
      clock.advance(DELAY_MS - 1);
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
      await completeAttempts(deliveries, [first], retryIn(300));
      await completeAttempts(deliveries, [second], retryIn(100));
      await completeAttempts(deliveries, [third], retryIn(200));
      clock.advance(300);
      assert.deepEqual(deliveryIds(await claimAll(deliveries)), ['m2', 'm3', 'm1']);
    },

    'alternates between retries and first attempts while both are due': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      const ids = await publishAll(deliveries, 4);
      for (const [i, attempt] of (await claimAll(deliveries)).entries()) {
        await completeAttempts(deliveries, [attempt], retryIn(100 + i));
      }
      clock.advance(200);
      for (const id of ['n1', 'n2', 'n3']) await publishOne(deliveries, id);
      const order: string[] = [];
      for (let i = 0; i < 7; i += 1) {
        order.push(...deliveryIds((await claimOnce(deliveries, { limit: 1 })).attempts));
      }
      const expected = [ids[0], 'n1', ids[1], 'n2', ids[2], 'n3', ids[3]];
      assert.deepEqual(order, expected);
    },

    'claims returned attempts first, with attempt number and failures unchanged': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 6);
      const claimedAttempts = (await claimOnce(deliveries, { limit: 3 })).attempts;
      const results = await deliveries.complete(claimedAttempts.map(notStartedEnd), COMPLETE);
      assert.deepEqual(new Set(results.map(({ outcome }) => outcome)), new Set(['completed']));
      clock.advance(1);
      const attempts = await claimAll(deliveries);
      assert.deepEqual(deliveryIds(attempts), ['m1', 'm2', 'm3', 'm4', 'm5', 'm6']);
      assert.ok(attempts.every(({ attempt, failures }) => attempt === 1 && failures === 0));
    },

    'claims a returned retry first, with the same attempt number': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      await completeAttempts(deliveries, await claimAll(deliveries), retryIn(100));
      clock.advance(100);
      const [retry] = await claimAll(deliveries);
      assert.ok(retry);
      await deliveries.complete([notStartedEnd(retry)], COMPLETE);
      await publishOne(deliveries, 'n1');
      clock.advance(1);
      const attempts = await claimAll(deliveries);
      assert.deepEqual(deliveryIds(attempts), ['m1', 'n1']);
      assert.equal(attempts[0]?.attempt, 2);
      await completeAttempts(deliveries, attempts, DELIVERED);
      const log = (await deliveries.list(ref, { limit: 2, after: null }))?.[1]?.attempts;
      assert.deepEqual(
        log?.map(({ attempt }) => attempt),
        [1, 2],
      );
    },

    'serves webhooks round-robin, so that a burst to one webhook delays no other': async ({
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
      const attempts = [];
      for (let i = 0; i < 2; i += 1) {
        attempts.push(...(await claimOnce(deliveries, { limit: 50 })).attempts);
      }
      assert.ok(deliveryIds(attempts).includes('late'), 'the other webhook was not served');
    },

    'serves the longest waiting webhook first': async ({ webhooks, deliveries, clock }) => {
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
      // The first claim is left out, because it may find the other webhooks too new.
      for (const round of [served.slice(1, 4), served.slice(4)]) {
        assert.deepEqual(round.toSorted(), ['w1', 'w2', 'w3']);
      }
    },

    'returns in nextInMs when to claim again': async ({ webhooks, deliveries, clock }) => {
      await register(webhooks, 'w1', { rateLimit: 1 });
      assert.equal((await claimOnce(deliveries)).nextInMs, null);
      await publishAll(deliveries, 2);
      const { nextInMs } = await claimOnce(deliveries);
      assert.equal(nextInMs, RATE_WINDOW_MS);
      clock.advance(RATE_WINDOW_MS - 1);
      assert.equal((await claimOnce(deliveries)).nextInMs, 1);
      clock.advance(1);
      assert.deepEqual(deliveryIds(await claimAll(deliveries)), ['m2']);
      const { nextInMs: leaseEndsInMs } = await claimOnce(deliveries);
      assert.ok(leaseEndsInMs !== null && leaseEndsInMs <= CLAIM.leaseMs);
    },
  },
};
