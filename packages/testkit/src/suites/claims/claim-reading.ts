import assert from 'node:assert/strict';
import type { ClaimStore, ListedDelivery } from '@latchhook/core/storage';
import {
  claimAll,
  claimOnce,
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
import { POLICY } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { ClaimTrial } from '../../trials/claim-trial.ts';

export const claimReading: Suite<ClaimTrial> = {
  name: 'deliveries: lists, sending again, retention',
  claims: {
    'lists deliveries with their attempts, newest first, page by page': async ({
      webhooks,
      claims,
    }) => {
      const ref = await register(webhooks, 'w1');
      const ids = await publishAll(claims, 25);
      const pages: string[] = [];
      let after: number | null = null;
      for (;;) {
        const page: readonly ListedDelivery[] =
          (await claims.list(ref, { limit: 10, after })) ?? [];
        pages.push(...names(page));
        if (page.length < 10) break;
        after = page.at(-1)?.sequence ?? null;
      }
      assert.deepEqual(pages, ids.toReversed());
      assert.equal(await claims.list({ ...ref, accountId: 8 }, { limit: 1, after: null }), null);
    },

    'shows each state, and what its attempts came to': async ({ webhooks, claims, clock }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(claims, 4);
      const [first, second, third] = await claimAll(claims, { limit: 3, maxInFlightPerWebhook: 3 });
      assert.ok(first && second && third);
      clock.advance(5);
      await complete(claims, [first], DELIVERED);
      await complete(claims, [second], retryIn(5_000));
      const [m4, m3, m2, m1] = await listed(claims, ref);
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
      assert.deepEqual([m3?.state, m3?.attempts], ['sending', []]);
      assert.deepEqual([m4?.state, m4?.nextAttemptAtMs], ['queued', null]);
      await complete(claims, [third], EXHAUSTED);
      const dead = (await listed(claims, ref))[1];
      assert.deepEqual([dead?.state, dead?.deadReason], ['dead', 'exhausted']);
    },

    'keeps the newest twenty attempts of a delivery': async ({ webhooks, claims, clock }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(claims, 1);
      for (let nth = 0; nth < 23; nth += 1) {
        await complete(claims, [await claimSingle(claims)], retryIn(1));
        clock.advance(1);
      }
      const numbers = (await onlyListed(claims, ref)).attempts.map(({ attempt }) => attempt);
      assert.deepEqual(
        numbers,
        Array.from({ length: 20 }, (_, nth) => nth + 4),
      );
    },

    'sends one again that has ended, or waits for long, with all of its tries': async ({
      webhooks,
      claims,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (const outcome of [DELIVERED, EXHAUSTED, retryIn(60_000)]) {
        const deliveryId = `m-${outcome.kind}`;
        await publishOne(claims, deliveryId);
        const { body } = await claimAndEnd(claims, outcome);
        assert.deepEqual(await claims.redeliver({ ...ref, deliveryId }), { outcome: 'due' });
        assert.deepEqual(await claims.redeliver({ ...ref, deliveryId }), { outcome: 'under_way' });
        const again = await claimSingle(claims);
        assert.deepEqual([again.deliveryId, again.attempt, again.failures], [deliveryId, 2, 0]);
        assert.equal(again.body, body);
        await complete(claims, [again], DELIVERED);
      }
    },

    'leaves one alone that waits for its first try or is in flight, and knows none of others':
      async ({ webhooks, claims }) => {
        const ref = await register(webhooks, 'w1');
        await register(webhooks, 'w2', { event: 'Contact.Removed' });
        await publishOne(claims, 'm1');
        const redeliver = (change: object) =>
          claims.redeliver({ ...ref, deliveryId: 'm1', ...change });
        assert.deepEqual(await redeliver({}), { outcome: 'under_way' });
        await claimSingle(claims);
        assert.deepEqual(await redeliver({}), { outcome: 'under_way' });
        for (const change of [{ deliveryId: 'm2' }, { webhookId: 'w2' }, { accountId: 8 }]) {
          assert.deepEqual(await redeliver(change), { outcome: 'unknown' });
        }
      },

    'sends again of a disabled webhook once that is enabled': async ({ webhooks, claims }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(claims, 1);
      await claimAndEnd(claims, GONE);
      assert.deepEqual(await claims.redeliver({ ...ref, deliveryId: 'm1' }), { outcome: 'due' });
      assert.deepEqual(await claimAll(claims), []);
      assert.equal((await onlyListed(claims, ref)).state, 'held');
      await webhooks.enable(ref);
      assert.equal((await claimSingle(claims)).deliveryId, 'm1');
    },

    'sends failed ones again that were published since, the oldest first': async ({
      webhooks,
      claims,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const publishedAtMs: number[] = [];
      for (let nth = 1; nth <= 6; nth += 1) {
        clock.advance(10);
        publishedAtMs.push(clock.nowMs());
        await publishOne(claims, `m${nth}`);
      }
      for (const attempt of await claimAll(claims)) {
        await complete(claims, [attempt], attempt.deliveryId === 'm4' ? DELIVERED : EXHAUSTED);
      }
      const sinceMs = publishedAtMs[1] ?? 0;
      const some = await claims.redeliverFailed(ref, { sinceMs, limit: 3 });
      assert.deepEqual(some, { count: 3, more: true });
      clock.advance(1);
      const rest = await claims.redeliverFailed(ref, { sinceMs, limit: 3 });
      assert.deepEqual(rest, { count: 1, more: false });
      clock.advance(1);
      assert.deepEqual(names(await claimAll(claims)).toSorted(), ['m2', 'm3', 'm5', 'm6']);
      assert.deepEqual(await claims.redeliverFailed(ref, { sinceMs, limit: 3 }), {
        count: 0,
        more: false,
      });
      const unknown = { ...ref, webhookId: 'w2' };
      assert.equal(await claims.redeliverFailed(unknown, { sinceMs, limit: 3 }), null);
    },

    'neither sends, lists nor sends again what has expired': async ({
      webhooks,
      claims,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const retentionMs = 60_000;
      await publishOne(claims, 'sent', { retentionMs });
      await claimAndEnd(claims, DELIVERED);
      await publishOne(claims, 'retried', { retentionMs });
      await claimAndEnd(claims, retryIn(retentionMs));
      await publishOne(claims, 'failed', { retentionMs });
      await claimAndEnd(claims, EXHAUSTED);
      await publishOne(claims, 'waiting', { retentionMs });
      clock.advance(retentionMs - 1);
      assert.equal((await listed(claims, ref)).length, 4);
      clock.advance(1);
      await publishOne(claims, 'new');
      assert.deepEqual(names(await claimAll(claims)), ['new']);
      assert.deepEqual(names(await listed(claims, ref)), ['new']);
      for (const deliveryId of ['sent', 'retried', 'failed', 'waiting']) {
        assert.deepEqual(await claims.redeliver({ ...ref, deliveryId }), { outcome: 'unknown' });
      }
      assert.equal((await claims.redeliverFailed(ref, { sinceMs: 0, limit: 9 }))?.count, 0);
    },

    'goes on after a shortened retention: what is kept for longer is sent and listed': async ({
      webhooks,
      claims,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      await publishOne(claims, 'long1', { retentionMs: POLICY.retentionMs });
      await publishOne(claims, 'short', { retentionMs: 1_000 });
      await publishOne(claims, 'long2', { retentionMs: POLICY.retentionMs });
      assert.deepEqual(names(await claimAll(claims)), ['long1']);
      clock.advance(2_000);
      const taken = names(await claimAll(claims));
      clock.advance(2_000);
      assert.deepEqual([...taken, ...names(await claimAll(claims))], ['long2']);
      assert.deepEqual(names(await listed(claims, ref)), ['long2', 'long1']);
    },

    'counts what waits and is in flight of enabled webhooks, and how long something could have started':
      async ({ webhooks, claims, clock }) => {
        await register(webhooks, 'w1', { rateLimit: 2 });
        const other = await register(webhooks, 'w2');
        assert.deepEqual(await claims.stats(), { pending: 0, oldestDueAgeMs: 0 });
        await publishAll(claims, 5, { webhookId: 'w1' });
        clock.advance(700);
        assert.deepEqual(await claims.stats(), { pending: 5, oldestDueAgeMs: 700 });
        const [first] = await claimAll(claims);
        assert.ok(first);
        assert.deepEqual(await claims.stats(), { pending: 5, oldestDueAgeMs: 0 });
        await complete(claims, [first], DELIVERED);
        assert.equal((await claims.stats()).pending, 4);
        await publishOne(claims, 'n1', { webhookId: 'w2' });
        await complete(claims, [await claimSingle(claims)], GONE);
        await publishOne(claims, 'n2', { webhookId: 'w2' });
        assert.equal((await claims.stats()).pending, 4);
        await webhooks.enable(other);
        assert.equal((await claims.stats()).pending, 5);
      },

    'tells who has subscribed that something is due': async ({ webhooks, claims, connections }) => {
      await register(webhooks, 'w1');
      const [other] = await connections(1);
      if (other?.claims.subscribe === undefined) return;
      let told = 0;
      const end = other.claims.subscribe(() => {
        told += 1;
      });
      const giveUpAtMs = performance.now() + 5_000;
      for (let nth = 0; told === 0; nth += 1) {
        assert.ok(performance.now() < giveUpAtMs, 'was not told');
        await claimOnce(other.claims);
        await publishOne(claims, `m${nth}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await end();
    },
  },
};

async function claimAndEnd(claims: ClaimStore, outcome: Parameters<typeof complete>[2]) {
  const attempt = await claimSingle(claims);
  await complete(claims, [attempt], outcome);
  return attempt;
}
