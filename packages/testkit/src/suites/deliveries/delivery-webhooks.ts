import assert from 'node:assert/strict';
import type { AttemptOutcome, WebhookRecord } from '@latchhook/core/storage';
import {
  assertNothingDue,
  attemptEnd,
  CLAIM,
  COMPLETE,
  claimAll,
  claimOnce,
  claimSingle,
  completeAttempts,
  DELIVERED,
  deliveryIds,
  EXHAUSTED,
  GONE,
  listDeliveries,
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { assertFound, register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { MINUTE_MS } from '../../samples/login-samples.ts';
import { POLICY, SECOND_MS } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

const NOT_COUNTED: AttemptOutcome = { kind: 'not_counted', delayMs: MINUTE_MS };

export const deliveryWebhooks: Suite<WebhookFixture> = {
  name: 'deliveries: disabled and changed webhooks',
  cases: {
    'claims no delivery of a webhook disabled on 410 until the webhook is enabled': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 3);
      const [first, second, third] = await claimAll(deliveries);
      assert.ok(first && second && third);
      clock.advance(10);
      await completeAttempts(deliveries, [first], retryIn(100));
      const completed = await completeAttempts(deliveries, [second], GONE);
      assert.equal(completed.disabled, 'gone');
      await completeAttempts(deliveries, [third], retryIn(100));
      await publishOne(deliveries, 'm4');
      clock.advance(SECOND_MS);
      await assertNothingDue(deliveries);
      const record = assertFound(await webhooks.find(ref));
      assert.deepEqual(disabledOf(record), { at: clock.nowMs() - SECOND_MS, reason: 'gone' });
      const states = (await listDeliveries(deliveries, ref)).map(({ state }) => state);
      assert.deepEqual(states, ['held', 'held', 'dead', 'held']);
      assert.equal(assertFound(await webhooks.enable(ref)).outcome, 'enabled');
      assert.deepEqual(deliveryIds(await claimAll(deliveries)).toSorted(), ['m1', 'm3', 'm4']);
    },

    'completes an attempt in flight after another attempt disabled its webhook': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 3);
      const [first, second, third] = await claimAll(deliveries);
      assert.ok(first && second && third);
      await completeAttempts(deliveries, [first], GONE);
      const before = assertFound(await webhooks.find(ref));
      clock.advance(1);
      assert.deepEqual(
        (await listDeliveries(deliveries, ref)).map(({ state }) => state),
        ['sending', 'sending', 'dead'],
      );
      assert.equal((await completeAttempts(deliveries, [second], DELIVERED)).disabled, null);
      assert.equal((await completeAttempts(deliveries, [third], GONE)).disabled, null);
      assert.deepEqual(
        (await listDeliveries(deliveries, ref)).map(({ state }) => state),
        ['dead', 'delivered', 'dead'],
      );
      assert.deepEqual(disabledOf(assertFound(await webhooks.find(ref))), disabledOf(before));
    },

    'retries immediately at the new URL, without counting a failure at the former URL': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 5);
      const formerAttempts = await claimAll(deliveries);
      const url = 'https://new.example.com/';
      await webhooks.change(ref, { url });
      const outcomes = [GONE, EXHAUSTED, retryIn(MINUTE_MS), NOT_COUNTED, DELIVERED];
      const ends = formerAttempts.map((attempt, i) =>
        attemptEnd(attempt, outcomes[i] ?? GONE, { backoffMs: i < 4 ? MINUTE_MS : 0 }),
      );
      const movedResult = { outcome: 'moved' };
      assert.deepEqual(await deliveries.complete(ends, COMPLETE), [
        movedResult,
        movedResult,
        movedResult,
        movedResult,
        { outcome: 'completed', disabled: null },
      ]);
      assert.deepEqual(disabledOf(assertFound(await webhooks.find(ref))), {
        at: null,
        reason: null,
      });
      const retries = (await claimAll(deliveries)).map((attempt) => ({
        id: attempt.deliveryId,
        url: attempt.webhook.url,
        failures: attempt.failures,
        notCounted: attempt.notCounted,
      }));
      assert.deepEqual(
        retries.toSorted((a, b) => a.id.localeCompare(b.id)),
        ['m1', 'm2', 'm3', 'm4'].map((id) => ({ id, url, failures: 0, notCounted: 1 })),
      );
      const [, ...attempts] = (await listDeliveries(deliveries, ref)).map(
        (each) => each.attempts.length,
      );
      assert.deepEqual(attempts, [1, 1, 1, 1], 'each is shown');
    },

    'disables a webhook without success for disableAfterMs when a delivery fails for good': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      const first = await claimSingle(deliveries);
      assert.equal((await completeAttempts(deliveries, [first], EXHAUSTED)).disabled, null);
      clock.advance(POLICY.disableAfterMs - 1);
      await publishOne(deliveries, 'm2');
      const earlyAttempt = await claimSingle(deliveries);
      assert.equal((await completeAttempts(deliveries, [earlyAttempt], EXHAUSTED)).disabled, null);
      clock.advance(1);
      await publishOne(deliveries, 'm3');
      await publishOne(deliveries, 'm4');
      const [failing, last] = await claimAll(deliveries);
      assert.ok(failing && last);
      assert.equal((await completeAttempts(deliveries, [failing], retryIn(1))).disabled, null);
      assert.equal((await completeAttempts(deliveries, [last], EXHAUSTED)).disabled, 'failing');
      assert.equal(assertFound(await webhooks.find(ref)).disabledReason, 'failing');
    },

    'disables a webhook without success when a delivery still fails after disableAfterMs': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      await completeAttempts(
        deliveries,
        [await claimSingle(deliveries)],
        retryIn(POLICY.disableAfterMs),
      );
      clock.advance(POLICY.disableAfterMs);
      const { disabled } = await completeAttempts(
        deliveries,
        [await claimSingle(deliveries)],
        retryIn(1),
      );
      assert.equal(disabled, 'failing');
    },

    'restarts disableAfterMs on success and on enable(), but not on uncounted attempts': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 2);
      const [first, second] = await claimAll(deliveries);
      assert.ok(first && second);
      await completeAttempts(deliveries, [first], EXHAUSTED);
      await completeAttempts(deliveries, [second], DELIVERED);
      clock.advance(POLICY.disableAfterMs);
      await publishOne(deliveries, 'm3');
      assert.equal(
        (await completeAttempts(deliveries, [await claimSingle(deliveries)], EXHAUSTED)).disabled,
        null,
      );
      clock.advance(POLICY.disableAfterMs);
      await webhooks.enable(ref);
      await publishOne(deliveries, 'm4');
      await publishOne(deliveries, 'm5');
      const [fourth, fifth] = await claimAll(deliveries);
      assert.ok(fourth && fifth);
      await completeAttempts(deliveries, [fourth], NOT_COUNTED);
      clock.advance(1);
      assert.equal((await completeAttempts(deliveries, [fifth], EXHAUSTED)).disabled, null);
      clock.advance(POLICY.disableAfterMs - 1);
      await publishOne(deliveries, 'm6');
      const sixth = (await claimAll(deliveries)).find(({ deliveryId }) => deliveryId === 'm6');
      assert.ok(sixth);
      await publishOne(deliveries, 'm7');
      const seventh = await claimSingle(deliveries);
      assert.equal((await completeAttempts(deliveries, [sixth], EXHAUSTED)).disabled, null);
      clock.advance(1);
      await publishOne(deliveries, 'm8');
      const eighth = await claimSingle(deliveries);
      await completeAttempts(deliveries, [seventh], { kind: 'not_counted', delayMs: 1 });
      assert.equal((await completeAttempts(deliveries, [eighth], EXHAUSTED)).disabled, 'failing');
    },

    'returns notCounted separately from failures': async ({ webhooks, deliveries, clock }) => {
      await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      for (let i = 0; i < 3; i += 1) {
        const attempt = await claimSingle(deliveries);
        assert.deepEqual([attempt.notCounted, attempt.failures], [i, 0]);
        await completeAttempts(deliveries, [attempt], { kind: 'not_counted', delayMs: 50 });
        clock.advance(50);
      }
      await completeAttempts(deliveries, [await claimSingle(deliveries)], retryIn(50));
      clock.advance(50);
      const after = await claimSingle(deliveries);
      assert.deepEqual([after.attempt, after.notCounted, after.failures], [5, 0, 1]);
    },

    'removes all deliveries of a removed webhook': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 3);
      await completeAttempts(
        deliveries,
        (await claimOnce(deliveries, { limit: 1 })).attempts,
        retryIn(1),
      );
      await claimOnce(deliveries, { limit: 1 });
      await register(webhooks, 'w2');
      await publishOne(deliveries, 'n1');
      await webhooks.remove(ref);
      // The attempt in flight may count until its lease expires.
      clock.advance(CLAIM.leaseMs);
      await completeAttempts(deliveries, [await claimSingle(deliveries)], DELIVERED);
      await assertNothingDue(deliveries);
      assert.deepEqual(await deliveries.redeliver({ ...ref, deliveryId: 'm1' }), {
        outcome: 'unknown',
      });
      assert.deepEqual(await deliveries.stats(), { pending: 0, oldestDueAgeMs: 0 });
    },
  },
};

function disabledOf({ disabledAtMs, disabledReason }: WebhookRecord) {
  return { at: disabledAtMs, reason: disabledReason };
}
