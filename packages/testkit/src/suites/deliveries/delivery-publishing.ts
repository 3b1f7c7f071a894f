import assert from 'node:assert/strict';
import { deliveryIds, webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { GONE, retryIn } from '../../samples/attempt-samples.ts';
import { MINUTE_MS } from '../../samples/login-samples.ts';
import { EVENT, newMessage, POLICY } from '../../samples/webhook-samples.ts';

/** Longer than 64 KiB, which is the limit of some columns. */
const LONG_TEXT = '\u20ac'.repeat(70_000);

export const deliveryPublishing = webhookSuite('deliveries: publishing', {
  'creates one delivery per webhook of the event, with body, URL and secrets': async (t) => {
    await t.register('w1');
    await t.register('w2', { url: 'https://two.example.com/' });
    await t.register('other', { event: 'Contact.Removed' });
    await t.register('foreign', { accountId: 8 });
    const body = `[${newMessage('m1').body},"${LONG_TEXT}"]`;
    const message = newMessage('m1', { body });
    assert.deepEqual(await t.deliveries.publish(message), {
      outcome: 'published',
      messageId: 'm1',
      deliveries: 2,
      expired: [],
    });
    const attempts = (await t.claimAll()).toSorted((a, b) => (a.webhookId < b.webhookId ? -1 : 1));
    const nowMs = t.clock.nowMs();
    assert.deepEqual(
      attempts,
      ['w1', 'w2'].map((webhookId, i) => ({
        accountId: 7,
        webhookId,
        deliveryId: 'm1',
        attempt: 1,
        // The start and the steps of sequences are left open.
        sequence: attempts[i]?.sequence,
        claimedAtMs: nowMs,
        createdAtMs: nowMs,
        expiresAtMs: nowMs + POLICY.retentionMs,
        failures: 0,
        notCounted: 0,
        body: message.body,
        event: message.event,
        webhook: {
          url: i === 1 ? 'https://two.example.com/' : attempts[0]?.webhook.url,
          secrets: [{ encrypted: `encrypted secret of ${webhookId}`, retiresAtMs: null }],
        },
      })),
    );
  },

  'publishes to the webhook of a given webhookId even if its event differs, or returns unknown':
    async (t) => {
      await t.register('w2');
      const ref = await t.register('w1', { event: 'Contact.Removed' });
      await t.publishOne('m1', { webhookId: 'w1' });
      assert.equal((await t.claimSingle()).webhookId, 'w1');
      assert.equal((await t.onlyDelivery(ref)).event, EVENT);
      const unknown = newMessage('m2', { webhookId: 'w3', idempotencyKey: 'k' });
      assert.deepEqual(await t.deliveries.publish(unknown), { outcome: 'unknown' });
      const foreign = newMessage('m2', { webhookId: 'w1', accountId: 8 });
      assert.deepEqual(await t.deliveries.publish(foreign), { outcome: 'unknown' });
      // The rejected messages have used up neither the id nor the key.
      await t.register('w3');
      await t.publishOne('m2', { webhookId: 'w3', idempotencyKey: 'k' });
    },

  'expires and reports the oldest unattempted deliveries beyond maxQueued': async (t) => {
    const ref = await t.register('w1', { rateLimit: 1 });
    const maxQueued = 3;
    await t.publishAll(3, { maxQueued });
    await t.claimSingle();
    await t.publishOne('m4', { maxQueued });
    assert.deepEqual((await t.publishOne('m5', { maxQueued })).expired, [
      { accountId: 7, webhookId: 'w1', deliveryId: 'm2' },
    ]);
    const states = (await t.list(ref)).map((each) => [
      each.deliveryId,
      each.state,
      each.deadReason,
    ]);
    assert.deepEqual(states, [
      ['m5', 'queued', null],
      ['m4', 'queued', null],
      ['m3', 'queued', null],
      ['m2', 'dead', 'expired'],
      ['m1', 'sending', null],
    ]);
  },

  'counts only unattempted deliveries towards maxQueued, also of a disabled webhook': async (t) => {
    await t.register('w1');
    await t.publishAll(3, { maxQueued: 3 });
    await t.complete(await t.claimAll(), retryIn(MINUTE_MS));
    for (const id of ['n1', 'n2', 'n3']) {
      assert.deepEqual((await t.publishOne(id, { maxQueued: 3 })).expired, []);
    }
    // The 410 to `n1` disables the webhook, while `n2` and `n3` wait for their first attempt.
    await t.complete((await t.claimOnce({ limit: 1 })).attempts, GONE);
    assert.deepEqual(deliveryIds((await t.publishOne('n4', { maxQueued: 2 })).expired), ['n2']);
  },

  'reports no delivery beyond maxQueued whose message had expired before': async (t) => {
    const ref = await t.register('w1');
    const limits = { maxQueued: 2, retentionMs: MINUTE_MS };
    await t.publishAll(2, limits);
    t.clock.advance(MINUTE_MS);
    assert.deepEqual((await t.publishOne('m3', limits)).expired, []);
    assert.deepEqual(deliveryIds(await t.list(ref)), ['m3']);
  },

  'expires the oldest deliveries first until a lowered maxQueued is reached': async (t) => {
    const ref = await t.register('w1', { rateLimit: 1 });
    const count = 300;
    const maxQueued = 10;
    const expiredCount = count - maxQueued;
    await t.publishAll(count);
    const expired: string[] = [];
    let newMessages = 0;
    // A store may expire the excess in steps, one for each new message, but ten must suffice. Each new message adds one
    // to the excess.
    while (expired.length < expiredCount + newMessages) {
      newMessages += 1;
      assert.ok(newMessages <= 10, 'expires too few deliveries per message');
      const published = await t.publishOne(`n${newMessages}`, { maxQueued });
      expired.push(...deliveryIds(published.expired));
    }
    const waitingDeliveries = (await t.list(ref)).filter(({ state }) => state === 'queued');
    assert.equal(waitingDeliveries.length, maxQueued);
    assert.deepEqual(
      expired.slice(0, expiredCount),
      Array.from({ length: expiredCount }, (_, i) => `m${i + 1}`),
    );
  },
});
