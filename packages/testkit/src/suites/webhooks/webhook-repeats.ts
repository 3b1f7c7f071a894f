import assert from 'node:assert/strict';
import { assertFound } from '../../actions/webhook-results.ts';
import { webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { attemptEnd, GONE, retryIn } from '../../samples/attempt-samples.ts';
import {
  ACCOUNT_ID,
  CHANGES,
  newMessage,
  newWebhook,
  POLICY,
} from '../../samples/webhook-samples.ts';

const DELAY_MS = 5_000;

/** A client that lost the response repeats a command, which may have succeeded or not. */
export const webhookRepeats = webhookSuite('webhooks: repeated commands', {
  'returns the existing webhook if create() is repeated, without counting it again': async (t) => {
    const maxOne = { maxPerAccount: 1 };
    await t.webhooks.create(newWebhook('w1'), maxOne);
    t.clock.advance(1000);
    const changedWebhook = await t.webhooks.change(newWebhook('w1'), { rateLimit: 3 });
    const repeated = await t.webhooks.create(newWebhook('w1'), maxOne);
    assert.deepEqual(repeated, { outcome: 'created', webhook: changedWebhook });
    assert.equal((await t.webhooks.list(ACCOUNT_ID, { limit: 10, after: null })).length, 1);
  },

  'returns the same webhook if change() is repeated': async (t) => {
    const ref = await t.register('w1');
    const changedWebhook = await t.webhooks.change(ref, CHANGES);
    assert.deepEqual(await t.webhooks.change(ref, CHANGES), changedWebhook);
  },

  'stores a secret once if rotateSecret() is repeated, without extending an overlap': async (t) => {
    const ref = await t.register('w1');
    const secret = { encrypted: 'b', overlapMs: 10_000 };
    const rotated = await t.webhooks.rotateSecret(ref, secret);
    t.clock.advance(1000);
    const repeated = await t.webhooks.rotateSecret(ref, secret);
    assert.deepEqual(repeated?.secrets, rotated?.secrets);
  },

  'returns already_enabled if enable() is repeated': async (t) => {
    const webhook = await t.register('w1');
    assert.deepEqual(await t.webhooks.enable(webhook), { outcome: 'already_enabled', webhook });
    await t.publishOne('m1');
    await t.complete([await t.claimSingle()], GONE);
    const enabled = assertFound(await t.webhooks.enable(webhook));
    assert.equal(enabled.outcome, 'enabled');
    assert.deepEqual(await t.webhooks.enable(webhook), { ...enabled, outcome: 'already_enabled' });
  },

  'removes one webhook if remove() is repeated': async (t) => {
    const [removedWebhook, keptWebhook] = [await t.register('w1'), await t.register('w2')];
    await t.webhooks.remove(removedWebhook);
    await t.webhooks.remove(removedWebhook);
    assert.deepEqual(await t.webhooks.list(ACCOUNT_ID, { limit: 10, after: null }), [keptWebhook]);
    const maxTwo = { maxPerAccount: 2 };
    assert.equal((await t.webhooks.create(newWebhook('w3'), maxTwo)).outcome, 'created');
    assert.equal((await t.webhooks.create(newWebhook('w4'), maxTwo)).outcome, 'limit_reached');
  },

  'returns duplicate if publish() is repeated, and leaves the queue unchanged': async (t) => {
    const ref = await t.registerWithMessages(1);
    const record = await t.onlyDelivery(ref);
    t.clock.advance(1000);
    for (let i = 0; i < 3; i += 1) {
      const repeated = await t.deliveries.publish(newMessage('m1', { maxQueued: 1 }));
      assert.equal(repeated.outcome, 'duplicate');
    }
    assert.deepEqual(await t.onlyDelivery(ref), record);
    assert.deepEqual(await t.deliveries.stats(), { pending: 1, oldestDueAgeMs: 1000 });
  },

  'returns stale if complete() is repeated, without counting the failure again': async (t) => {
    const ref = await t.registerWithMessages(1);
    const attempt = await t.claimSingle();
    await t.complete([attempt], retryIn(DELAY_MS));
    const record = await t.onlyDelivery(ref);
    t.clock.advance(POLICY.disableAfterMs);
    const end = attemptEnd(attempt, retryIn(DELAY_MS), { backoffMs: DELAY_MS });
    assert.deepEqual(await t.completeEnds([end]), [{ outcome: 'stale' }]);
    assert.deepEqual(await t.onlyDelivery(ref), record);
    assert.equal((await t.webhooks.find(ref))?.disabledAtMs, null);
    assert.equal((await t.claimSingle()).failures, 1);
  },

  'does not disable a webhook again if complete() is repeated after enable()': async (t) => {
    const ref = await t.registerWithMessages(1);
    const attempt = await t.claimSingle();
    await t.complete([attempt], GONE);
    await t.webhooks.enable(ref);
    assert.deepEqual(await t.completeEnds([attemptEnd(attempt, GONE)]), [{ outcome: 'stale' }]);
    assert.equal((await t.webhooks.find(ref))?.disabledAtMs, null);
  },
});
