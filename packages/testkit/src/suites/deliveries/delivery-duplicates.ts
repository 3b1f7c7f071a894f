import assert from 'node:assert/strict';
import { deliveryIds, webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { DELIVERED } from '../../samples/attempt-samples.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import { HOUR_MS } from '../../samples/login-samples.ts';
import { EVENT, newMessage, POLICY, SECOND_MS } from '../../samples/webhook-samples.ts';

/** The result for a message that was already published as `m1`, to one webhook. */
const DUPLICATE = { outcome: 'duplicate', messageId: 'm1', deliveries: 1, expired: [] } as const;

export const deliveryDuplicates = webhookSuite('deliveries: duplicate messages', {
  'returns the first message for a repeated message id or idempotency key': async (t) => {
    await t.register('w1');
    await t.publishOne('m1', { idempotencyKey: 'k' });
    const sameKey = newMessage('m2', { idempotencyKey: 'k', body: '{}' });
    assert.deepEqual(await t.deliveries.publish(sameKey), DUPLICATE);
    for (const webhookId of [null, 'w1']) {
      const sameId = newMessage('m1', { body: '{}', webhookId });
      assert.deepEqual(await t.deliveries.publish(sameId), DUPLICATE);
    }
    await t.complete([await t.claimSingle()], DELIVERED);
    assert.deepEqual(await t.deliveries.publish(sameKey), DUPLICATE);
    await t.claimNothing();
    // Another account has its own ids and keys.
    await t.register('w1', { accountId: 8 });
    await t.publishOne('m1', { accountId: 8, idempotencyKey: 'k' });
  },

  'compares account ids, message ids, idempotency keys and events byte by byte': async (t) => {
    // A store that rounds account ids confuses the two largest.
    await t.register('w1', { accountId: Number.MAX_SAFE_INTEGER });
    const accountId = Number.MAX_SAFE_INTEGER - 1;
    const ref = await t.register('w1', { accountId });
    await t.register('W1', { accountId, event: EVENT.toLowerCase() });
    await t.register('w1a', { accountId, event: `${EVENT}.Late` });
    // The third key is the id of the first message, from which the second id differs only in letter case.
    const keys = ['k', 'K', 'm0', ...AWKWARD_TEXTS];
    for (const [i, idempotencyKey] of keys.entries()) {
      const published = await t.publishOne(i === 1 ? 'M0' : `m${i}`, { accountId, idempotencyKey });
      assert.equal(published.deliveries, 1);
    }
    await t.publishOne('other', { accountId, event: EVENT.toLowerCase() });
    const claimed = await t.claimAll();
    const attempts = claimed.filter(({ webhookId }) => webhookId !== 'W1');
    assert.equal(claimed.length, attempts.length + 1);
    assert.deepEqual(
      attempts.map(({ deliveryId, ...each }) => [each.accountId, each.webhookId, deliveryId]),
      keys.map((_, i) => [accountId, 'w1', i === 1 ? 'M0' : `m${i}`]),
    );
    await t.complete(attempts, DELIVERED);
    assert.equal((await t.list(ref)).length, keys.length);
  },

  'returns duplicate for the idempotency key of a message that matched no webhook': async (t) => {
    await t.publishOne('m1', { idempotencyKey: 'k' });
    await t.register('w1');
    const sameKey = newMessage('m2', { idempotencyKey: 'k' });
    assert.deepEqual(await t.deliveries.publish(sameKey), { ...DUPLICATE, deliveries: 0 });
  },

  'accepts an idempotency key again after idempotencyMs': async (t) => {
    await t.register('w1');
    const keyed = { idempotencyKey: 'k', idempotencyMs: HOUR_MS };
    await t.publishOne('m1', keyed);
    await t.elapseCheckingJustBefore(HOUR_MS, async () =>
      assert.equal((await t.deliveries.publish(newMessage('m2', keyed))).outcome, 'duplicate'),
    );
    await t.publishOne('m2', keyed);
  },

  'accepts a message id again after retentionMs': async (t) => {
    await t.register('w1');
    await t.publishOne('m1', { retentionMs: HOUR_MS });
    await t.elapseCheckingJustBefore(HOUR_MS, async () =>
      assert.equal((await t.deliveries.publish(newMessage('m1'))).outcome, 'duplicate'),
    );
    await t.publishOne('m1', { body: '{"second":1}' });
    assert.equal((await t.claimSingle()).body, '{"second":1}');
  },

  'remembers a key for idempotencyMs even if its message expires earlier': async (t) => {
    await t.register('w1');
    await t.publishOne('short', { idempotencyKey: 'long', retentionMs: SECOND_MS });
    t.clock.advance(SECOND_MS);
    const duplicate = await t.deliveries.publish(newMessage('m2', { idempotencyKey: 'long' }));
    assert.deepEqual(duplicate, { ...duplicate, outcome: 'duplicate', messageId: 'short' });
  },

  'returns duplicate for a known message even after its webhook was removed': async (t) => {
    const ref = await t.register('w1');
    await t.publishOne('m1', { idempotencyKey: 'k' });
    await t.webhooks.remove(ref);
    const duplicates = [newMessage('m2', { idempotencyKey: 'k' }), newMessage('m1')];
    for (const message of duplicates)
      assert.deepEqual(await t.deliveries.publish(message), DUPLICATE);
    await t.register('w2');
    t.clock.advance(POLICY.idempotencyMs - 1);
    for (const message of duplicates)
      assert.deepEqual(await t.deliveries.publish(message), DUPLICATE);
    await t.claimNothing();
  },

  'delivers a message once if an earlier message with the same id expired unclaimed': async (t) => {
    const ref = await t.register('w1');
    await t.publishOne('m1', { retentionMs: SECOND_MS });
    await t.publishOne('m2');
    t.clock.advance(SECOND_MS);
    await t.publishOne('m1', { body: '{"second":1}' });
    assert.deepEqual(deliveryIds(await t.list(ref)), ['m1', 'm2']);
    const attempts = await t.claimAll();
    assert.deepEqual(deliveryIds(attempts), ['m2', 'm1']);
    assert.equal(attempts[1]?.body, '{"second":1}');
    await t.complete(attempts, DELIVERED);
    assert.deepEqual(deliveryIds(await t.list(ref)), ['m1', 'm2']);
  },

  'publishes one of forty parallel messages with the same key': async (t) => {
    await t.register('w1');
    const results = await t.inParallel(40, (storage, i) =>
      storage.deliveries.publish(newMessage(`m${i}`, { idempotencyKey: 'k' })),
    );
    const ids = new Set(results.map((each) => ('messageId' in each ? each.messageId : '')));
    assert.equal(ids.size, 1);
    assert.equal(results.filter(({ outcome }) => outcome === 'published').length, 1);
    assert.deepEqual(deliveryIds(await t.claimAll()), [...ids]);
  },
});
