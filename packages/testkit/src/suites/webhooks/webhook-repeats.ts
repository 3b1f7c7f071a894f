import assert from 'node:assert/strict';
import {
  attemptEnd,
  COMPLETE,
  claimSingle,
  completeAttempts,
  GONE,
  onlyDelivery,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { assertFound, register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import {
  ACCOUNT_ID,
  CHANGES,
  newMessage,
  newWebhook,
  POLICY,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

const DELAY_MS = 5_000;

/** A client that lost the response repeats a command, which may have succeeded or not. */
export const webhookRepeats: Suite<WebhookFixture> = {
  name: 'webhooks: repeated commands',
  cases: {
    'returns the existing webhook if create() is repeated, without counting it again': async ({
      webhooks,
      clock,
    }) => {
      const maxOne = { maxPerAccount: 1 };
      await webhooks.create(newWebhook('w1'), maxOne);
      clock.advance(1000);
      const changedWebhook = await webhooks.change(newWebhook('w1'), { rateLimit: 3 });
      const repeated = await webhooks.create(newWebhook('w1'), maxOne);
      assert.deepEqual(repeated, { outcome: 'created', webhook: changedWebhook });
      assert.equal((await webhooks.list(ACCOUNT_ID, { limit: 10, after: null })).length, 1);
    },

    'returns the same webhook if change() is repeated': async ({ webhooks }) => {
      const ref = await register(webhooks, 'w1');
      const changedWebhook = await webhooks.change(ref, CHANGES);
      assert.deepEqual(await webhooks.change(ref, CHANGES), changedWebhook);
    },

    'stores a secret once if rotateSecret() is repeated, without extending an overlap': async ({
      webhooks,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const secret = { encrypted: 'b', overlapMs: 10_000 };
      const rotated = await webhooks.rotateSecret(ref, secret);
      clock.advance(1000);
      const repeated = await webhooks.rotateSecret(ref, secret);
      assert.deepEqual(repeated?.secrets, rotated?.secrets);
    },

    'returns was_enabled if enable() is repeated': async ({ webhooks, deliveries }) => {
      const webhook = await register(webhooks, 'w1');
      assert.deepEqual(await webhooks.enable(webhook), { outcome: 'was_enabled', webhook });
      await publishOne(deliveries, 'm1');
      await completeAttempts(deliveries, [await claimSingle(deliveries)], GONE);
      const enabled = assertFound(await webhooks.enable(webhook));
      assert.equal(enabled.outcome, 'enabled');
      assert.deepEqual(await webhooks.enable(webhook), { ...enabled, outcome: 'was_enabled' });
    },

    'removes one webhook if remove() is repeated': async ({ webhooks }) => {
      const [removedWebhook, keptWebhook] = [
        await register(webhooks, 'w1'),
        await register(webhooks, 'w2'),
      ];
      await webhooks.remove(removedWebhook);
      await webhooks.remove(removedWebhook);
      assert.deepEqual(await webhooks.list(ACCOUNT_ID, { limit: 10, after: null }), [keptWebhook]);
      const maxTwo = { maxPerAccount: 2 };
      assert.equal((await webhooks.create(newWebhook('w3'), maxTwo)).outcome, 'created');
      assert.equal((await webhooks.create(newWebhook('w4'), maxTwo)).outcome, 'limit_reached');
    },

    'returns duplicate if publish() is repeated, without expiring or delaying a delivery': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1');
      const record = await onlyDelivery(deliveries, ref);
      clock.advance(1000);
      for (let i = 0; i < 3; i += 1) {
        const repeated = await deliveries.publish(newMessage('m1', { maxQueued: 1 }));
        assert.equal(repeated.outcome, 'duplicate');
      }
      assert.deepEqual(await onlyDelivery(deliveries, ref), record);
      assert.deepEqual(await deliveries.stats(), { pending: 1, oldestDueAgeMs: 1000 });
    },

    'returns stale if complete() is repeated, without counting the failure again': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1');
      const attempt = await claimSingle(deliveries);
      await completeAttempts(deliveries, [attempt], retryIn(DELAY_MS));
      const record = await onlyDelivery(deliveries, ref);
      clock.advance(POLICY.disableAfterMs);
      const end = attemptEnd(attempt, retryIn(DELAY_MS), { backoffMs: DELAY_MS });
      assert.deepEqual(await deliveries.complete([end], COMPLETE), [{ outcome: 'stale' }]);
      assert.deepEqual(await onlyDelivery(deliveries, ref), record);
      assert.equal((await webhooks.find(ref))?.disabledAtMs, null);
      assert.equal((await claimSingle(deliveries)).failures, 1);
    },

    'does not disable a webhook that was enabled before complete() was repeated': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1');
      const attempt = await claimSingle(deliveries);
      await completeAttempts(deliveries, [attempt], GONE);
      await webhooks.enable(ref);
      assert.deepEqual(await deliveries.complete([attemptEnd(attempt, GONE)], COMPLETE), [
        { outcome: 'stale' },
      ]);
      assert.equal((await webhooks.find(ref))?.disabledAtMs, null);
    },
  },
};
