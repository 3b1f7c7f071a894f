import assert from 'node:assert/strict';
import type { DeliveryStore, ListedDelivery } from '@latchhook/core/storage';
import {
  claimAll,
  claimSingle,
  complete,
  DELIVERED,
  EXHAUSTED,
  GONE,
  listed,
  names,
  onlyListed,
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { POLICY } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

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
        pages.push(...names(page));
        if (page.length < 10) break;
        after = page.at(-1)?.sequence ?? null;
      }
      assert.deepEqual(pages, ids.toReversed());
      // Cursors are what clients make of them.
      const all = await deliveries.list(ref, { limit: 9, after: Number.MAX_SAFE_INTEGER });
      assert.deepEqual(names(all ?? []), ids.toReversed().slice(0, 9));
      assert.equal(
        await deliveries.list({ ...ref, accountId: 8 }, { limit: 1, after: null }),
        null,
      );
    },

    'fills a page even if expired deliveries lie between those listed': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (let i = 0; i < 40; i += 1) {
        await publishOne(deliveries, `m${i}`, i % 4 === 0 ? {} : { retentionMs: 1_000 });
      }
      clock.advance(1_000);
      const page = await listed(deliveries, ref, 5);
      assert.deepEqual(names(page), ['m36', 'm32', 'm28', 'm24', 'm20']);
      const rest = await deliveries.list(ref, { limit: 9, after: page[4]?.sequence ?? null });
      assert.deepEqual(names(rest ?? []), ['m16', 'm12', 'm8', 'm4', 'm0']);
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
      await complete(deliveries, [first], DELIVERED);
      await complete(deliveries, [second], retryIn(5_000));
      const [m4, m3, m2, m1] = await listed(deliveries, ref);
      const base = { accountId: 7, webhookId: 'w1', event: 'Contact.Added', deadReason: null };
      const createdAtMs = first.createdAtMs;
      assert.deepEqual(m1, {
        ...base,
        deliveryId: 'm1',
        sequence: first.sequence,
        state: 'delivered',
        createdAtMs,
        nextAttemptAtMs: null,
        attempts: [
          { attempt: 1, startedAtMs: first.claimedAtMs, status: 200, durationMs: 120, error: null },
        ],
      });
      assert.deepEqual(
        [m2?.state, m2?.nextAttemptAtMs, m2?.attempts.length],
        ['waiting', clock.nowMs() + 5_000, 1],
      );
      const rejected = { status: 500, durationMs: 120, error: 'status' };
      const startedAtMs = second.claimedAtMs;
      assert.deepEqual(m2?.attempts, [{ attempt: 1, startedAtMs, ...rejected }]);
      assert.deepEqual([m3?.state, m3?.attempts], ['sending', []]);
      assert.deepEqual([m4?.state, m4?.nextAttemptAtMs], ['queued', null]);
      await complete(deliveries, [third], EXHAUSTED);
      const dead = (await listed(deliveries, ref))[1];
      assert.deepEqual([dead?.state, dead?.deadReason], ['dead', 'exhausted']);
    },

    'keeps the newest twenty attempts of a delivery': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      const newest = async () =>
        (await onlyListed(deliveries, ref)).attempts.map(({ attempt }) => attempt);
      const until = (last: number) => Array.from({ length: 20 }, (_, i) => last - 19 + i);
      for (let i = 0; i < 23; i += 1) {
        await complete(deliveries, [await claimSingle(deliveries)], retryIn(1));
        clock.advance(1);
      }
      assert.deepEqual(await newest(), until(23));
      await claimSingle(deliveries);
      clock.advance(POLICY.leaseMs);
      const attempt = await claimSingle(deliveries);
      assert.deepEqual(await newest(), until(24));
      await complete(deliveries, [attempt], DELIVERED);
      await deliveries.redeliver({ ...ref, deliveryId: 'm1' });
      await complete(deliveries, [await claimSingle(deliveries)], DELIVERED);
      assert.deepEqual(await newest(), until(26));
    },

    'neither claims, lists nor resends expired deliveries': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const retentionMs = 60_000;
      await publishOne(deliveries, 'sent', { retentionMs });
      await claimAndEnd(deliveries, DELIVERED);
      await publishOne(deliveries, 'retried', { retentionMs });
      await claimAndEnd(deliveries, retryIn(retentionMs));
      await publishOne(deliveries, 'failed', { retentionMs });
      await claimAndEnd(deliveries, EXHAUSTED);
      await publishOne(deliveries, 'waiting', { retentionMs });
      clock.advance(retentionMs - 1);
      assert.equal((await listed(deliveries, ref)).length, 4);
      clock.advance(1);
      await publishOne(deliveries, 'new');
      assert.deepEqual(names(await claimAll(deliveries)), ['new']);
      assert.deepEqual(names(await listed(deliveries, ref)), ['new']);
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
      await publishOne(deliveries, 'short', { retentionMs: 1_000 });
      await publishOne(deliveries, 'long2', { retentionMs: POLICY.retentionMs });
      assert.deepEqual(names(await claimAll(deliveries)), ['long1']);
      clock.advance(2_000);
      const taken = names(await claimAll(deliveries));
      clock.advance(2_000);
      assert.deepEqual([...taken, ...names(await claimAll(deliveries))], ['long2']);
      assert.deepEqual(names(await listed(deliveries, ref)), ['long2', 'long1']);
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
      await complete(deliveries, [first], retryIn(60_000));
      assert.equal((await deliveries.stats()).pending, 5);
      clock.advance(60_000);
      await complete(deliveries, (await claimAll(deliveries)).slice(0, 1), DELIVERED);
      assert.equal((await deliveries.stats()).pending, 4);
      await publishOne(deliveries, 'n1', { webhookId: 'w2' });
      await complete(deliveries, [await claimSingle(deliveries)], GONE);
      await publishOne(deliveries, 'n2', { webhookId: 'w2' });
      assert.equal((await deliveries.stats()).pending, 4);
      await webhooks.enable(other);
      assert.equal((await deliveries.stats()).pending, 5);
    },
  },
};

async function claimAndEnd(deliveries: DeliveryStore, outcome: Parameters<typeof complete>[2]) {
  const attempt = await claimSingle(deliveries);
  await complete(deliveries, [attempt], outcome);
  return attempt;
}
