import assert from 'node:assert/strict';
import type { WebhookRecord } from '@latchhook/core/storage';
import { pluck } from '../../actions/pluck.ts';
import { assertFound } from '../../actions/webhook-results.ts';
import { deliveryIds, webhookSuite } from '../../fixtures/webhook-fixture.ts';
import {
  attemptEnd,
  CLAIM,
  DELIVERED,
  EXHAUSTED,
  GONE,
  notCounted,
  retryIn,
} from '../../samples/attempt-samples.ts';
import { MINUTE_MS } from '../../samples/login-samples.ts';
import { POLICY, SECOND_MS } from '../../samples/webhook-samples.ts';

export const deliveryWebhooks = webhookSuite('deliveries: disabled and changed webhooks', {
  'claims no delivery of a webhook that a 410 disabled until the webhook is enabled': async (t) => {
    const ref = await t.registerWithMessages(3);
    const [first, second, third] = await t.claimExactly(3);
    t.clock.advance(10);
    await t.complete([first], retryIn(100));
    const completed = await t.complete([second], GONE);
    assert.equal(completed.disabled, 'gone');
    await t.complete([third], retryIn(100));
    await t.publishOne('m4');
    t.clock.advance(SECOND_MS);
    await t.assertNothingDue();
    const record = assertFound(await t.webhooks.find(ref));
    assert.deepEqual(disabledOf(record), { at: t.clock.nowMs() - SECOND_MS, reason: 'gone' });
    const states = (await t.list(ref)).map(({ state }) => state);
    assert.deepEqual(states, ['held', 'held', 'dead', 'held']);
    assert.equal(assertFound(await t.webhooks.enable(ref)).outcome, 'enabled');
    assert.deepEqual(deliveryIds(await t.claimAll()).toSorted(), ['m1', 'm3', 'm4']);
  },

  'completes an attempt in flight after another attempt disabled its webhook': async (t) => {
    const ref = await t.registerWithMessages(3);
    const [first, second, third] = await t.claimExactly(3);
    await t.complete([first], GONE);
    const before = assertFound(await t.webhooks.find(ref));
    t.clock.advance(1);
    assert.deepEqual(pluck(await t.list(ref), 'state'), ['sending', 'sending', 'dead']);
    assert.equal((await t.complete([second], DELIVERED)).disabled, null);
    assert.equal((await t.complete([third], GONE)).disabled, null);
    assert.deepEqual(pluck(await t.list(ref), 'state'), ['dead', 'delivered', 'dead']);
    assert.deepEqual(disabledOf(assertFound(await t.webhooks.find(ref))), disabledOf(before));
  },

  'retries at the new URL at once, and counts no failure at the former URL': async (t) => {
    const ref = await t.registerWithMessages(5);
    const formerAttempts = await t.claimAll();
    const url = 'https://new.example.com/';
    await t.webhooks.change(ref, { url });
    const outcomes = [GONE, EXHAUSTED, retryIn(MINUTE_MS), notCounted(MINUTE_MS), DELIVERED];
    const ends = formerAttempts.map((attempt, i) =>
      attemptEnd(attempt, outcomes[i] ?? GONE, { backoffMs: i < 4 ? MINUTE_MS : 0 }),
    );
    const moved = { outcome: 'moved' };
    assert.deepEqual(await t.completeEnds(ends), [
      ...[moved, moved, moved, moved],
      { outcome: 'completed', disabled: null },
    ]);
    assert.deepEqual(disabledOf(assertFound(await t.webhooks.find(ref))), {
      at: null,
      reason: null,
    });
    // All but the delivered one are retried at once.
    const retries = (await t.claimAll()).map((attempt) => ({
      id: attempt.deliveryId,
      url: attempt.webhook.url,
      failures: attempt.failures,
      notCounted: attempt.notCounted,
    }));
    assert.deepEqual(
      retries.toSorted((a, b) => a.id.localeCompare(b.id)),
      ['m1', 'm2', 'm3', 'm4'].map((id) => ({ id, url, failures: 0, notCounted: 1 })),
    );
    const [, ...attempts] = (await t.list(ref)).map((each) => each.attempts.length);
    assert.deepEqual(attempts, [1, 1, 1, 1], 'the log has the attempt at the former URL');
  },

  'disables a webhook after disableAfterMs when a delivery fails for good': async (t) => {
    const ref = await t.registerWithMessages(1);
    const first = await t.claimSingle();
    assert.equal((await t.complete([first], EXHAUSTED)).disabled, null);
    t.clock.advance(POLICY.disableAfterMs - 1);
    await t.publishOne('m2');
    const earlyAttempt = await t.claimSingle();
    assert.equal((await t.complete([earlyAttempt], EXHAUSTED)).disabled, null);
    t.clock.advance(1);
    await t.publishOne('m3');
    await t.publishOne('m4');
    const [failing, last] = await t.claimExactly(2);
    // Its message is newer than `disableAfterMs`, and it is retried.
    assert.equal((await t.complete([failing], retryIn(1))).disabled, null);
    assert.equal((await t.complete([last], EXHAUSTED)).disabled, 'failing');
    assert.equal(assertFound(await t.webhooks.find(ref)).disabledReason, 'failing');
  },

  'disables a webhook after disableAfterMs even if the delivery is retried': async (t) => {
    await t.registerWithMessages(1);
    await t.complete([await t.claimSingle()], retryIn(POLICY.disableAfterMs));
    t.clock.advance(POLICY.disableAfterMs);
    const { disabled } = await t.complete([await t.claimSingle()], retryIn(1));
    assert.equal(disabled, 'failing');
  },

  'restarts disableAfterMs on success': async (t) => {
    await t.registerWithMessages(2);
    const [first, second] = await t.claimExactly(2);
    await t.complete([first], EXHAUSTED);
    await t.complete([second], DELIVERED);
    t.clock.advance(POLICY.disableAfterMs);
    await t.publishOne('m3');
    assert.equal((await t.complete([await t.claimSingle()], EXHAUSTED)).disabled, null);
  },

  'restarts disableAfterMs on enable(), even of an enabled webhook': async (t) => {
    const ref = await t.registerWithMessages(1);
    await t.complete([await t.claimSingle()], EXHAUSTED);
    t.clock.advance(POLICY.disableAfterMs);
    await t.webhooks.enable(ref);
    await t.publishOne('m2');
    assert.equal((await t.complete([await t.claimSingle()], EXHAUSTED)).disabled, null);
  },

  'neither starts nor restarts disableAfterMs on an uncounted attempt': async (t) => {
    // Uncounted attempts are not due again within this test case.
    const uncounted = notCounted(2 * POLICY.disableAfterMs);
    await t.registerWithMessages(2);
    const [first, second] = await t.claimExactly(2);
    await t.complete([first], uncounted);
    t.clock.advance(1);
    await t.complete([second], EXHAUSTED);
    // The time began with the failure, not with the uncounted attempt 1 ms before it.
    t.clock.advance(POLICY.disableAfterMs - 1);
    await t.publishOne('m3');
    assert.equal((await t.complete([await t.claimSingle()], EXHAUSTED)).disabled, null);
    await t.publishOne('m4');
    await t.publishOne('m5');
    const [fourth, fifth] = await t.claimExactly(2);
    t.clock.advance(1);
    await t.complete([fourth], uncounted);
    assert.equal((await t.complete([fifth], EXHAUSTED)).disabled, 'failing');
  },

  'returns notCounted separately from failures': async (t) => {
    await t.registerWithMessages(1);
    for (let i = 0; i < 3; i += 1) {
      const attempt = await t.claimSingle();
      assert.deepEqual([attempt.notCounted, attempt.failures], [i, 0]);
      await t.complete([attempt], notCounted(50));
      t.clock.advance(50);
    }
    await t.complete([await t.claimSingle()], retryIn(50));
    t.clock.advance(50);
    const after = await t.claimSingle();
    assert.deepEqual([after.attempt, after.notCounted, after.failures], [5, 0, 1]);
  },

  'removes all deliveries of a removed webhook': async (t) => {
    const ref = await t.registerWithMessages(3);
    await t.complete((await t.claimOnce({ limit: 1 })).attempts, retryIn(1));
    await t.claimOnce({ limit: 1 });
    await t.register('w2');
    await t.publishOne('n1');
    await t.webhooks.remove(ref);
    // The attempt in flight may count until its lease expires.
    t.clock.advance(CLAIM.leaseMs);
    await t.complete([await t.claimSingle()], DELIVERED);
    await t.assertNothingDue();
    assert.deepEqual(await t.redeliver(ref, 'm1'), { outcome: 'unknown' });
    assert.deepEqual(await t.deliveries.stats(), { pending: 0, oldestDueAgeMs: 0 });
  },
});

function disabledOf({ disabledAtMs, disabledReason }: WebhookRecord) {
  return { at: disabledAtMs, reason: disabledReason };
}
