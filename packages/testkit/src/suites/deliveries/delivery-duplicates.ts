import assert from 'node:assert/strict';
import {
  claimAll,
  claimSingle,
  completeAttempts,
  DELIVERED,
  deliveryIds,
  listDeliveries,
  publishOne,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import { HOUR_MS } from '../../samples/login-samples.ts';
import { EVENT, newMessage, POLICY, SECOND_MS } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

export const deliveryDuplicates: Suite<WebhookFixture> = {
  name: 'deliveries: duplicate messages',
  cases: {
    'returns the first message for a repeated message id or idempotency key': async ({
      webhooks,
      deliveries,
    }) => {
      await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1', { idempotencyKey: 'k' });
      const first = { outcome: 'duplicate', messageId: 'm1', deliveries: 1, expired: [] };
      const sameKey = newMessage('m2', { idempotencyKey: 'k', body: '{}' });
      assert.deepEqual(await deliveries.publish(sameKey), first);
      for (const webhookId of [null, 'w1']) {
        const sameId = newMessage('m1', { body: '{}', webhookId });
        assert.deepEqual(await deliveries.publish(sameId), first);
      }
      await completeAttempts(deliveries, [await claimSingle(deliveries)], DELIVERED);
      assert.deepEqual(await deliveries.publish(sameKey), first);
      assert.deepEqual(await claimAll(deliveries), []);
      await register(webhooks, 'w1', { accountId: 8 });
      await publishOne(deliveries, 'm1', { accountId: 8, idempotencyKey: 'k' });
    },

    'compares account ids, message ids, idempotency keys and events byte by byte': async ({
      webhooks,
      deliveries,
    }) => {
      await register(webhooks, 'w1', { accountId: Number.MAX_SAFE_INTEGER });
      const accountId = Number.MAX_SAFE_INTEGER - 1;
      const ref = await register(webhooks, 'w1', { accountId });
      await register(webhooks, 'W1', { accountId, event: EVENT.toLowerCase() });
      await register(webhooks, 'w1a', { accountId, event: `${EVENT}.Late` });
      const keys = ['k', 'K', 'm0', ...AWKWARD_TEXTS];
      for (const [i, idempotencyKey] of keys.entries()) {
        const published = await publishOne(deliveries, i === 1 ? 'M0' : `m${i}`, {
          accountId,
          idempotencyKey,
        });
        assert.equal(published.deliveries, 1);
      }
      await publishOne(deliveries, 'other', { accountId, event: EVENT.toLowerCase() });
      const claimed = await claimAll(deliveries);
      const attempts = claimed.filter(({ webhookId }) => webhookId !== 'W1');
      assert.equal(claimed.length, attempts.length + 1);
      assert.deepEqual(
        attempts.map(({ deliveryId, ...each }) => [each.accountId, each.webhookId, deliveryId]),
        keys.map((_, i) => [accountId, 'w1', i === 1 ? 'M0' : `m${i}`]),
      );
      await completeAttempts(deliveries, attempts, DELIVERED);
      assert.equal((await listDeliveries(deliveries, ref)).length, keys.length);
    },

    'returns duplicate for the idempotency key of a message that matched no webhook': async ({
      webhooks,
      deliveries,
    }) => {
      await publishOne(deliveries, 'm1', { idempotencyKey: 'k' });
      await register(webhooks, 'w1');
      assert.deepEqual(await deliveries.publish(newMessage('m2', { idempotencyKey: 'k' })), {
        outcome: 'duplicate',
        messageId: 'm1',
        deliveries: 0,
        expired: [],
      });
    },

    'accepts an idempotency key again after idempotencyMs, a message id after retentionMs': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      const idempotencyMs = HOUR_MS;
      await publishOne(deliveries, 'm1', {
        idempotencyKey: 'k',
        idempotencyMs,
        retentionMs: 2 * idempotencyMs,
      });
      clock.advance(idempotencyMs - 1);
      const repeated = newMessage('m2', { idempotencyKey: 'k', idempotencyMs });
      assert.equal((await deliveries.publish(repeated)).outcome, 'duplicate');
      clock.advance(1);
      assert.equal((await deliveries.publish(repeated)).outcome, 'published');
      clock.advance(idempotencyMs - 1);
      assert.equal((await deliveries.publish(newMessage('m1'))).outcome, 'duplicate');
      clock.advance(1);
      await publishOne(deliveries, 'm1', { body: '{"second":1}' });
      await publishOne(deliveries, 'short', { idempotencyKey: 'long', retentionMs: SECOND_MS });
      clock.advance(SECOND_MS);
      const duplicate = await deliveries.publish(newMessage('m3', { idempotencyKey: 'long' }));
      assert.deepEqual(duplicate, { ...duplicate, outcome: 'duplicate', messageId: 'short' });
      const bodies = new Map(
        (await claimAll(deliveries)).map((each) => [each.deliveryId, each.body]),
      );
      assert.equal(bodies.get('m1'), '{"second":1}');
    },

    'returns duplicate for a known message even after its webhook was removed': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1', { idempotencyKey: 'k' });
      await webhooks.remove(ref);
      const first = { outcome: 'duplicate', messageId: 'm1', deliveries: 1, expired: [] };
      const duplicates = [newMessage('m2', { idempotencyKey: 'k' }), newMessage('m1')];
      for (const message of duplicates) assert.deepEqual(await deliveries.publish(message), first);
      await register(webhooks, 'w2');
      clock.advance(POLICY.idempotencyMs - 1);
      for (const message of duplicates) assert.deepEqual(await deliveries.publish(message), first);
      assert.deepEqual(await claimAll(deliveries), []);
    },

    'delivers a message once if an earlier message with the same id expired unclaimed': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1', { retentionMs: SECOND_MS });
      await publishOne(deliveries, 'm2');
      clock.advance(SECOND_MS);
      await publishOne(deliveries, 'm1', { body: '{"second":1}' });
      assert.deepEqual(deliveryIds(await listDeliveries(deliveries, ref)), ['m1', 'm2']);
      const attempts = await claimAll(deliveries);
      assert.deepEqual(deliveryIds(attempts), ['m2', 'm1']);
      assert.equal(attempts[1]?.body, '{"second":1}');
      await completeAttempts(deliveries, attempts, DELIVERED);
      assert.deepEqual(deliveryIds(await listDeliveries(deliveries, ref)), ['m1', 'm2']);
    },

    'publishes one of forty parallel messages with the same key': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      await register(webhooks, 'w1');
      const results = await inParallel(40, await connections(4), (storage, i) =>
        storage.deliveries.publish(newMessage(`m${i}`, { idempotencyKey: 'k' })),
      );
      const ids = new Set(results.map((each) => ('messageId' in each ? each.messageId : '')));
      assert.equal(ids.size, 1);
      assert.equal(results.filter(({ outcome }) => outcome === 'published').length, 1);
      assert.deepEqual(deliveryIds(await claimAll(deliveries)), [...ids]);
    },
  },
};
