import assert from 'node:assert/strict';
import {
  claimAll,
  claimSingle,
  complete,
  DELIVERED,
  listed,
  names,
  publishOne,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import { EVENT, newMessage, POLICY } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

export const deliveryPublishingAgain: Suite<WebhookFixture> = {
  name: 'deliveries: duplicate messages',
  cases: {
    'returns the first message for a repeated id or key, and publishes nothing': async ({
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
      await complete(deliveries, [await claimSingle(deliveries)], DELIVERED);
      assert.deepEqual(await deliveries.publish(sameKey), first);
      assert.deepEqual(await claimAll(deliveries), []);
      await register(webhooks, 'w1', { accountId: 8 });
      await publishOne(deliveries, 'm1', { accountId: 8, idempotencyKey: 'k' });
    },

    'compares accounts, ids, keys and events byte by byte': async ({ webhooks, deliveries }) => {
      await register(webhooks, 'w1', { accountId: Number.MAX_SAFE_INTEGER });
      const accountId = Number.MAX_SAFE_INTEGER - 1;
      const ref = await register(webhooks, 'w1', { accountId });
      await register(webhooks, 'W1', { accountId, event: EVENT.toLowerCase() });
      await register(webhooks, 'w1a', { accountId, event: `${EVENT}.Late` });
      const keys = ['k', 'K', 'm0', ...AWKWARD_TEXTS];
      for (const [i, idempotencyKey] of keys.entries()) {
        const published = await publishOne(deliveries, i === 1 ? 'M0' : `m${i}`, {
          ...{ accountId, idempotencyKey },
        });
        assert.equal(published.deliveries, 1);
      }
      await publishOne(deliveries, 'other', { accountId, event: EVENT.toLowerCase() });
      const all = await claimAll(deliveries);
      const attempts = all.filter(({ webhookId }) => webhookId !== 'W1');
      assert.equal(all.length, attempts.length + 1);
      assert.deepEqual(
        attempts.map(({ deliveryId, ...each }) => [each.accountId, each.webhookId, deliveryId]),
        keys.map((_, i) => [accountId, 'w1', i === 1 ? 'M0' : `m${i}`]),
      );
      await complete(deliveries, attempts, DELIVERED);
      assert.equal((await listed(deliveries, ref)).length, keys.length);
    },

    'remembers the key of a message that matched no webhook': async ({ webhooks, deliveries }) => {
      await publishOne(deliveries, 'm1', { idempotencyKey: 'k' });
      await register(webhooks, 'w1');
      assert.deepEqual(await deliveries.publish(newMessage('m2', { idempotencyKey: 'k' })), {
        outcome: 'duplicate',
        messageId: 'm1',
        deliveries: 0,
        expired: [],
      });
    },

    'accepts a key again after idempotencyMs, and an id after retentionMs': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      const idempotencyMs = 3_600_000;
      await publishOne(deliveries, 'm1', {
        idempotencyKey: 'k',
        idempotencyMs,
        retentionMs: 2 * idempotencyMs,
      });
      clock.advance(idempotencyMs - 1);
      const again = newMessage('m2', { idempotencyKey: 'k', idempotencyMs });
      assert.equal((await deliveries.publish(again)).outcome, 'duplicate');
      clock.advance(1);
      assert.equal((await deliveries.publish(again)).outcome, 'published');
      clock.advance(idempotencyMs - 1);
      assert.equal((await deliveries.publish(newMessage('m1'))).outcome, 'duplicate');
      clock.advance(1);
      await publishOne(deliveries, 'm1', { body: '{"second":1}' });
      await publishOne(deliveries, 'short', { idempotencyKey: 'long', retentionMs: 1_000 });
      clock.advance(1_000);
      const known = await deliveries.publish(newMessage('m3', { idempotencyKey: 'long' }));
      assert.deepEqual(known, { ...known, outcome: 'duplicate', messageId: 'short' });
      const bodies = new Map(
        (await claimAll(deliveries)).map((each) => [each.deliveryId, each.body]),
      );
      assert.equal(bodies.get('m1'), '{"second":1}');
    },

    'returns duplicate even after the webhook was removed': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1', { idempotencyKey: 'k' });
      await webhooks.remove(ref);
      const first = { outcome: 'duplicate', messageId: 'm1', deliveries: 1, expired: [] };
      const again = [newMessage('m2', { idempotencyKey: 'k' }), newMessage('m1')];
      for (const message of again) assert.deepEqual(await deliveries.publish(message), first);
      await register(webhooks, 'w2');
      clock.advance(POLICY.idempotencyMs - 1);
      for (const message of again) assert.deepEqual(await deliveries.publish(message), first);
      assert.deepEqual(await claimAll(deliveries), []);
    },

    'delivers a message once if an earlier one with its id expired unclaimed': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1', { retentionMs: 1_000 });
      await publishOne(deliveries, 'm2');
      clock.advance(1_000);
      await publishOne(deliveries, 'm1', { body: '{"second":1}' });
      assert.deepEqual(names(await listed(deliveries, ref)), ['m1', 'm2']);
      const attempts = await claimAll(deliveries);
      assert.deepEqual(names(attempts), ['m2', 'm1']);
      assert.equal(attempts[1]?.body, '{"second":1}');
      await complete(deliveries, attempts, DELIVERED);
      assert.deepEqual(names(await listed(deliveries, ref)), ['m1', 'm2']);
    },

    'publishes one of forty parallel messages with the same key': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      await register(webhooks, 'w1');
      const answers = await inParallel(40, await connections(4), (storage, i) =>
        storage.deliveries.publish(newMessage(`m${i}`, { idempotencyKey: 'k' })),
      );
      const ids = new Set(answers.map((each) => ('messageId' in each ? each.messageId : '')));
      assert.equal(ids.size, 1);
      assert.equal(answers.filter(({ outcome }) => outcome === 'published').length, 1);
      assert.deepEqual(names(await claimAll(deliveries)), [...ids]);
    },
  },
};
