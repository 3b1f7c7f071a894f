import assert from 'node:assert/strict';
import { pagesOf } from '../../actions/pages-of.ts';
import { deliveryIds, webhookSuite } from '../../fixtures/webhook-fixture.ts';
import {
  DELIVERED,
  EXHAUSTED,
  GONE,
  RESPONDED_200,
  RESPONDED_500,
  retryIn,
} from '../../samples/attempt-samples.ts';
import { MINUTE_MS } from '../../samples/login-samples.ts';
import { POLICY, SECOND_MS } from '../../samples/webhook-samples.ts';

/** How many attempts the log of a delivery has at most. */
const MAX_LOGGED_ATTEMPTS = 20;

export const deliveryReading = webhookSuite('deliveries: lists, retention, statistics', {
  'lists deliveries newest first, page by page': async (t) => {
    const ref = await t.register('w1');
    const ids = await t.publishAll(25);
    const pages = await pagesOf((page) => t.deliveries.list(ref, page), 10);
    assert.deepEqual(
      pages.map(({ length }) => length),
      [10, 10, 5],
    );
    assert.deepEqual(deliveryIds(pages.flat()), ids.toReversed());
    // A client may send any cursor.
    const newest = await t.deliveries.list(ref, { limit: 9, after: Number.MAX_SAFE_INTEGER });
    assert.deepEqual(deliveryIds(newest ?? []), ids.toReversed().slice(0, 9));
  },

  'returns null as the list of a webhook that is unknown or of another account': async (t) => {
    const ref = await t.registerWithMessages(1);
    for (const change of [{ webhookId: 'w2' }, { accountId: 8 }]) {
      assert.equal(await t.deliveries.list({ ...ref, ...change }, { limit: 1, after: null }), null);
    }
  },

  'fills a page of a list even if deliveries in between have expired': async (t) => {
    const ref = await t.register('w1');
    for (let i = 0; i < 40; i += 1) {
      await t.publishOne(`m${i}`, i % 4 === 0 ? {} : { retentionMs: SECOND_MS });
    }
    t.clock.advance(SECOND_MS);
    const page = await t.list(ref, 5);
    assert.deepEqual(deliveryIds(page), ['m36', 'm32', 'm28', 'm24', 'm20']);
    const rest = await t.deliveries.list(ref, { limit: 9, after: page[4]?.sequence ?? null });
    assert.deepEqual(deliveryIds(rest ?? []), ['m16', 'm12', 'm8', 'm4', 'm0']);
  },

  'lists each delivery with its state and the results of its attempts': async (t) => {
    const ref = await t.registerWithMessages(4);
    // The fourth stays queued.
    const [first, second, third] = await t.claimExactly(3, { limit: 3, maxInFlightPerWebhook: 3 });
    t.clock.advance(5);
    await t.complete([first], DELIVERED);
    await t.complete([second], retryIn(5 * SECOND_MS));
    const [m4, m3, m2, m1] = await t.list(ref);
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
      ['waiting', t.clock.nowMs() + 5 * SECOND_MS, 1],
    );
    const startedAtMs = second.claimedAtMs;
    assert.deepEqual(m2?.attempts, [{ attempt: 1, startedAtMs, ...RESPONDED_500 }]);
    assert.deepEqual([m3?.state, m3?.attempts], ['sending', []]);
    assert.deepEqual([m4?.state, m4?.nextAttemptAtMs], ['queued', null]);
    await t.complete([third], EXHAUSTED);
    const dead = (await t.list(ref))[1];
    assert.deepEqual([dead?.state, dead?.deadReason], ['dead', 'exhausted']);
  },

  'keeps the newest twenty attempts of a delivery': async (t) => {
    const ref = await t.registerWithMessages(1);
    const loggedNumbers = async () =>
      (await t.onlyDelivery(ref)).attempts.map(({ attempt }) => attempt);
    const upTo = (last: number) =>
      Array.from({ length: MAX_LOGGED_ATTEMPTS }, (_, i) => last - MAX_LOGGED_ATTEMPTS + 1 + i);
    for (let i = 0; i < 23; i += 1) {
      await t.complete([await t.claimSingle()], retryIn(1));
      t.clock.advance(1);
    }
    assert.deepEqual(await loggedNumbers(), upTo(23));
    // Attempt 24 stalls. The claim of attempt 25 logs it as lost.
    await t.claimSingle();
    t.clock.advance(POLICY.leaseMs);
    const attempt = await t.claimSingle();
    assert.deepEqual(await loggedNumbers(), upTo(24));
    await t.complete([attempt], DELIVERED);
    await t.redeliver(ref, 'm1');
    await t.complete([await t.claimSingle()], DELIVERED);
    assert.deepEqual(await loggedNumbers(), upTo(26));
  },

  'neither claims, lists nor resends expired deliveries': async (t) => {
    const ref = await t.register('w1');
    const retentionMs = MINUTE_MS;
    await t.publishOne('sent', { retentionMs });
    await t.complete([await t.claimSingle()], DELIVERED);
    await t.publishOne('retried', { retentionMs });
    await t.complete([await t.claimSingle()], retryIn(retentionMs));
    await t.publishOne('failed', { retentionMs });
    await t.complete([await t.claimSingle()], EXHAUSTED);
    await t.publishOne('waiting', { retentionMs });
    await t.elapseCheckingJustBefore(retentionMs, async () =>
      assert.equal((await t.list(ref)).length, 4),
    );
    await t.publishOne('new');
    assert.deepEqual(deliveryIds(await t.claimAll()), ['new']);
    assert.deepEqual(deliveryIds(await t.list(ref)), ['new']);
    for (const deliveryId of ['sent', 'retried', 'failed', 'waiting']) {
      assert.deepEqual(await t.redeliver(ref, deliveryId), { outcome: 'unknown' });
    }
    assert.equal((await t.deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 9 }))?.count, 0);
  },

  'keeps claiming and listing after the retention was shortened': async (t) => {
    const ref = await t.register('w1', { rateLimit: 1 });
    await t.publishOne('long1', { retentionMs: POLICY.retentionMs });
    await t.publishOne('short', { retentionMs: SECOND_MS });
    await t.publishOne('long2', { retentionMs: POLICY.retentionMs });
    assert.deepEqual(deliveryIds(await t.claimAll()), ['long1']);
    t.clock.advance(2 * SECOND_MS);
    // The first claim may only delete the expired delivery, and leave `long2` to the second.
    const earlyIds = deliveryIds(await t.claimAll());
    t.clock.advance(2 * SECOND_MS);
    assert.deepEqual([...earlyIds, ...deliveryIds(await t.claimAll())], ['long2']);
    assert.deepEqual(deliveryIds(await t.list(ref)), ['long2', 'long1']);
  },

  'reports how many deliveries are pending, and how long the oldest has been due': async (t) => {
    await t.register('w1', { rateLimit: 2 });
    assert.deepEqual(await t.deliveries.stats(), { pending: 0, oldestDueAgeMs: 0 });
    await t.publishAll(5);
    t.clock.advance(700);
    assert.deepEqual(await t.deliveries.stats(), { pending: 5, oldestDueAgeMs: 700 });
    await t.claimExactly(2);
    t.clock.advance(10);
    // Two are in flight, and the rate allows no third: nothing is due.
    assert.deepEqual(await t.deliveries.stats(), { pending: 5, oldestDueAgeMs: 0 });
  },

  'counts a delivery as pending until it is delivered': async (t) => {
    await t.registerWithMessages(2);
    const [retried, delivered] = await t.claimExactly(2);
    await t.complete([retried], retryIn(MINUTE_MS));
    assert.equal((await t.deliveries.stats()).pending, 2);
    await t.complete([delivered], DELIVERED);
    assert.equal((await t.deliveries.stats()).pending, 1);
  },

  'counts no deliveries of a disabled webhook as pending': async (t) => {
    const ref = await t.registerWithMessages(1);
    await t.complete([await t.claimSingle()], GONE);
    await t.publishOne('held');
    assert.equal((await t.deliveries.stats()).pending, 0);
    await t.webhooks.enable(ref);
    assert.equal((await t.deliveries.stats()).pending, 1);
  },

  'reports the age of a new delivery to a webhook that also waits for a retry': async (t) => {
    await t.register('w1');
    await t.publishOne('retried');
    await t.complete([await t.claimSingle()], retryIn(MINUTE_MS));
    await t.publishOne('new');
    t.clock.advance(700);
    assert.deepEqual(await t.deliveries.stats(), { pending: 2, oldestDueAgeMs: 700 });
    t.clock.advance(MINUTE_MS);
    assert.deepEqual(await t.deliveries.stats(), { pending: 2, oldestDueAgeMs: 700 + MINUTE_MS });
  },
});
