import assert from 'node:assert/strict';
import type { DeliveryStore, ListedDelivery } from '@latchhook/core/storage';
import {
  claimAll,
  claimSingle,
  completeAttempts,
  DELIVERED,
  deliveryIds,
  EXHAUSTED,
  GONE,
  listDeliveries,
  onlyDelivery,
  publishAll,
  publishOne,
  RESPONDED_200,
  RESPONDED_500,
  retryIn,
} from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { MINUTE_MS } from '../../samples/login-samples.ts';
import { POLICY, SECOND_MS } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

/** How many attempts the log of a delivery has at most. */
const MAX_LOGGED_ATTEMPTS = 20;

export const deliveryReading: Suite<WebhookFixture> = {
  name: 'deliveries: lists, retention, statistics',
  cases: {
    'lists deliveries with their attempts, newest first, page by page': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      const ids = await publishAll(deliveries, 25);
      const pages: string[] = [];
      let after: number | null = null;
      for (;;) {
        const page: readonly ListedDelivery[] =
          (await deliveries.list(ref, { limit: 10, after })) ?? [];
        assert.ok(page.length <= 10);
        pages.push(...deliveryIds(page));
        if (page.length < 10) break;
        after = page.at(-1)?.sequence ?? null;
      }
      assert.deepEqual(pages, ids.toReversed());
      // A client may send any cursor.
      const newest = await deliveries.list(ref, { limit: 9, after: Number.MAX_SAFE_INTEGER });
      assert.deepEqual(deliveryIds(newest ?? []), ids.toReversed().slice(0, 9));
      assert.equal(
        await deliveries.list({ ...ref, accountId: 8 }, { limit: 1, after: null }),
        null,
      );
    },

    'fills a page of a list even if deliveries in between have expired': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (let i = 0; i < 40; i += 1) {
        await publishOne(deliveries, `m${i}`, i % 4 === 0 ? {} : { retentionMs: SECOND_MS });
      }
      clock.advance(SECOND_MS);
      const page = await listDeliveries(deliveries, ref, 5);
      assert.deepEqual(deliveryIds(page), ['m36', 'm32', 'm28', 'm24', 'm20']);
      const rest = await deliveries.list(ref, { limit: 9, after: page[4]?.sequence ?? null });
      assert.deepEqual(deliveryIds(rest ?? []), ['m16', 'm12', 'm8', 'm4', 'm0']);
    },

    'lists each delivery with its state and the results of its attempts': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 4);
      const [first, second, third] = await claimAll(deliveries, {
        limit: 3,
        maxInFlightPerWebhook: 3,
      });
      assert.ok(first && second && third);
      clock.advance(5);
      await completeAttempts(deliveries, [first], DELIVERED);
      await completeAttempts(deliveries, [second], retryIn(5 * SECOND_MS));
      const [m4, m3, m2, m1] = await listDeliveries(deliveries, ref);
      const base = { accountId: 7, webhookId: 'w1', event: 'Contact.Added', deadReason: null };
      const createdAtMs = first.createdAtMs;
      assert.deepEqual(m1, {
        ...base,
        deliveryId: 'm1',
        sequence: first.sequence,
        state: 'delivered',
        createdAtMs,
        nextAttemptAtMs: null,
        attempts: [{ attempt: 1, startedAtMs: first.claimedAtMs, ...RESPONDED_200 }],
      });
      assert.deepEqual(
        [m2?.state, m2?.nextAttemptAtMs, m2?.attempts.length],
        ['waiting', clock.nowMs() + 5 * SECOND_MS, 1],
      );
      const startedAtMs = second.claimedAtMs;
      assert.deepEqual(m2?.attempts, [{ attempt: 1, startedAtMs, ...RESPONDED_500 }]);
      assert.deepEqual([m3?.state, m3?.attempts], ['sending', []]);
      assert.deepEqual([m4?.state, m4?.nextAttemptAtMs], ['queued', null]);
      await completeAttempts(deliveries, [third], EXHAUSTED);
      const dead = (await listDeliveries(deliveries, ref))[1];
      assert.deepEqual([dead?.state, dead?.deadReason], ['dead', 'exhausted']);
    },

    'keeps the newest twenty attempts of a delivery': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      const loggedNumbers = async () =>
        (await onlyDelivery(deliveries, ref)).attempts.map(({ attempt }) => attempt);
      const upTo = (last: number) =>
        Array.from({ length: MAX_LOGGED_ATTEMPTS }, (_, i) => last - MAX_LOGGED_ATTEMPTS + 1 + i);
      for (let i = 0; i < 23; i += 1) {
        await completeAttempts(deliveries, [await claimSingle(deliveries)], retryIn(1));
        clock.advance(1);
      }
      assert.deepEqual(await loggedNumbers(), upTo(23));
      await claimSingle(deliveries);
      clock.advance(POLICY.leaseMs);
      const attempt = await claimSingle(deliveries);
      assert.deepEqual(await loggedNumbers(), upTo(24));
      await completeAttempts(deliveries, [attempt], DELIVERED);
      await deliveries.redeliver({ ...ref, deliveryId: 'm1' });
      await completeAttempts(deliveries, [await claimSingle(deliveries)], DELIVERED);
      assert.deepEqual(await loggedNumbers(), upTo(26));
    },

    'neither claims, lists nor resends expired deliveries': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const retentionMs = MINUTE_MS;
      await publishOne(deliveries, 'sent', { retentionMs });
      await claimAndEnd(deliveries, DELIVERED);
      await publishOne(deliveries, 'retried', { retentionMs });
      await claimAndEnd(deliveries, retryIn(retentionMs));
      await publishOne(deliveries, 'failed', { retentionMs });
      await claimAndEnd(deliveries, EXHAUSTED);
      await publishOne(deliveries, 'waiting', { retentionMs });
      clock.advance(retentionMs - 1);
      assert.equal((await listDeliveries(deliveries, ref)).length, 4);
      clock.advance(1);
      await publishOne(deliveries, 'new');
      assert.deepEqual(deliveryIds(await claimAll(deliveries)), ['new']);
      assert.deepEqual(deliveryIds(await listDeliveries(deliveries, ref)), ['new']);
      for (const deliveryId of ['sent', 'retried', 'failed', 'waiting']) {
        assert.deepEqual(await deliveries.redeliver({ ...ref, deliveryId }), {
          outcome: 'unknown',
        });
      }
      assert.equal((await deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 9 }))?.count, 0);
    },

    'keeps claiming and listing after the retention was shortened': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      await publishOne(deliveries, 'long1', { retentionMs: POLICY.retentionMs });
      await publishOne(deliveries, 'short', { retentionMs: SECOND_MS });
      await publishOne(deliveries, 'long2', { retentionMs: POLICY.retentionMs });
      assert.deepEqual(deliveryIds(await claimAll(deliveries)), ['long1']);
      clock.advance(2 * SECOND_MS);
      const earlyIds = deliveryIds(await claimAll(deliveries));
      clock.advance(2 * SECOND_MS);
      assert.deepEqual([...earlyIds, ...deliveryIds(await claimAll(deliveries))], ['long2']);
      assert.deepEqual(deliveryIds(await listDeliveries(deliveries, ref)), ['long2', 'long1']);
    },

    'reports pending deliveries and the oldest due age of enabled webhooks': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 2 });
      const other = await register(webhooks, 'w2');
      assert.deepEqual(await deliveries.stats(), { pending: 0, oldestDueAgeMs: 0 });
      await publishAll(deliveries, 5, { webhookId: 'w1' });
      clock.advance(700);
      assert.deepEqual(await deliveries.stats(), { pending: 5, oldestDueAgeMs: 700 });
      const [first] = await claimAll(deliveries);
      assert.ok(first);
      clock.advance(10);
      assert.deepEqual(await deliveries.stats(), { pending: 5, oldestDueAgeMs: 0 });
      await completeAttempts(deliveries, [first], retryIn(MINUTE_MS));
      assert.equal((await deliveries.stats()).pending, 5);
      clock.advance(MINUTE_MS);
      await completeAttempts(deliveries, (await claimAll(deliveries)).slice(0, 1), DELIVERED);
      assert.equal((await deliveries.stats()).pending, 4);
      await publishOne(deliveries, 'n1', { webhookId: 'w2' });
      await completeAttempts(deliveries, [await claimSingle(deliveries)], GONE);
      await publishOne(deliveries, 'n2', { webhookId: 'w2' });
      assert.equal((await deliveries.stats()).pending, 4);
      await webhooks.enable(other);
      assert.equal((await deliveries.stats()).pending, 5);
    },
  },
};

async function claimAndEnd(
  deliveries: DeliveryStore,
  outcome: Parameters<typeof completeAttempts>[2],
) {
  const attempt = await claimSingle(deliveries);
  await completeAttempts(deliveries, [attempt], outcome);
  return attempt;
}
