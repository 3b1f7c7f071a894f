import assert from 'node:assert/strict';
import type { WebhookRecord } from '@latchhook/core/storage';
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
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { found, register } from '../../actions/register-webhook.ts';
import { POLICY } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { ClaimTrial } from '../../trials/claim-trial.ts';

export const claimWebhooks: Suite<ClaimTrial> = {
  name: 'deliveries: webhooks that are disabled, back off or change',
  claims: {
    'disables a webhook that is gone: nothing of it starts until it is enabled, and all of it then':
      async ({ webhooks, claims, clock }) => {
        const ref = await register(webhooks, 'w1');
        await publishAll(claims, 3);
        const [first, second, third] = await claimAll(claims);
        assert.ok(first && second && third);
        await complete(claims, [first], retryIn(100));
        const completed = await complete(claims, [second], GONE);
        assert.equal(completed.disabled, 'gone');
        await complete(claims, [third], retryIn(100));
        await publishOne(claims, 'm4');
        clock.advance(1_000);
        assert.deepEqual(await claimOnce(claims), { attempts: [], poisoned: [], nextInMs: null });
        const record = found(await webhooks.find(ref));
        assert.deepEqual(disabledOf(record), { at: clock.nowMs() - 1_000, reason: 'gone' });
        const states = (await listed(claims, ref)).map(({ state }) => state);
        assert.deepEqual(states, ['held', 'held', 'dead', 'held']);
        assert.equal(found(await webhooks.enable(ref)).outcome, 'enabled');
        assert.deepEqual(names(await claimAll(claims)).toSorted(), ['m1', 'm3', 'm4']);
      },

    'lets an attempt in flight end that another has disabled the webhook of': async ({
      webhooks,
      claims,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(claims, 2);
      const [first, second] = await claimAll(claims);
      assert.ok(first && second);
      await complete(claims, [first], GONE);
      const { disabled } = await complete(claims, [second], DELIVERED);
      assert.equal(disabled, null);
      const [delivered] = await listed(claims, ref);
      assert.equal(delivered?.state, 'delivered');
    },

    'disables a webhook that only failed for long, as a delivery is given up': async ({
      webhooks,
      claims,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(claims, 1);
      const first = await claimSingle(claims);
      assert.equal((await complete(claims, [first], EXHAUSTED)).disabled, null);
      clock.advance(POLICY.disableAfterMs - 1);
      await publishOne(claims, 'm2');
      const early = await claimSingle(claims);
      assert.equal((await complete(claims, [early], EXHAUSTED)).disabled, null);
      clock.advance(1);
      await publishOne(claims, 'm3');
      await publishOne(claims, 'm4');
      const [failing, last] = await claimAll(claims);
      assert.ok(failing && last);
      assert.equal((await complete(claims, [failing], retryIn(1))).disabled, null);
      assert.equal((await complete(claims, [last], EXHAUSTED)).disabled, 'failing');
      assert.equal(found(await webhooks.find(ref)).disabledReason, 'failing');
    },

    'disables it too as a delivery fails again that was published as long ago': async ({
      webhooks,
      claims,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(claims, 1);
      await complete(claims, [await claimSingle(claims)], retryIn(POLICY.disableAfterMs));
      clock.advance(POLICY.disableAfterMs);
      const { disabled } = await complete(claims, [await claimSingle(claims)], retryIn(1));
      assert.equal(disabled, 'failing');
    },

    'forgets how long it has been failing by a success, and by being enabled; not by what is not counted':
      async ({ webhooks, claims, clock }) => {
        const ref = await register(webhooks, 'w1');
        await publishAll(claims, 2);
        const [first, second] = await claimAll(claims);
        assert.ok(first && second);
        await complete(claims, [first], EXHAUSTED);
        await complete(claims, [second], DELIVERED);
        clock.advance(POLICY.disableAfterMs);
        await publishOne(claims, 'm3');
        assert.equal(
          (await complete(claims, [await claimSingle(claims)], EXHAUSTED)).disabled,
          null,
        );
        clock.advance(POLICY.disableAfterMs);
        await webhooks.enable(ref);
        await publishOne(claims, 'm4');
        await publishOne(claims, 'm5');
        const [fourth, fifth] = await claimAll(claims);
        assert.ok(fourth && fifth);
        await complete(claims, [fourth], { kind: 'not_counted', delayMs: 30_000 });
        assert.equal((await complete(claims, [fifth], EXHAUSTED)).disabled, null);
      },

    'counts what is not counted apart, and costs no try for it': async ({
      webhooks,
      claims,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishAll(claims, 1);
      for (let nth = 0; nth < 3; nth += 1) {
        const attempt = await claimSingle(claims);
        assert.deepEqual([attempt.notCounted, attempt.failures], [nth, 0]);
        await complete(claims, [attempt], { kind: 'not_counted', delayMs: 50 });
        clock.advance(50);
      }
      await complete(claims, [await claimSingle(claims)], retryIn(50));
      clock.advance(50);
      const after = await claimSingle(claims);
      assert.deepEqual([after.attempt, after.notCounted, after.failures], [5, 0, 1]);
    },

    'starts nothing of a webhook that backs off, and of no other any later': async ({
      webhooks,
      claims,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await register(webhooks, 'w2');
      await publishAll(claims, 3, { webhookId: 'w1' });
      const [first, second, third] = await claimAll(claims);
      assert.ok(first && second && third);
      await complete(claims, [first], retryIn(10_000), { backoffMs: 2_000 });
      await complete(claims, [second], retryIn(1_000), { backoffMs: 500 });
      await complete(claims, [third], retryIn(1_000));
      await publishOne(claims, 'n1', { webhookId: 'w1' });
      await publishOne(claims, 'n2', { webhookId: 'w2' });
      assert.deepEqual(names(await claimAll(claims)), ['n2']);
      clock.advance(1_999);
      assert.deepEqual(await claimAll(claims), []);
      clock.advance(1);
      assert.deepEqual(names(await claimAll(claims)).toSorted(), ['m2', 'm3', 'n1']);
    },

    'ends a backoff by another URL, and by being enabled; by no other change': async ({
      webhooks,
      claims,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(claims, 1);
      await complete(claims, await claimAll(claims), EXHAUSTED, { backoffMs: 60_000 });
      await publishOne(claims, 'n1');
      await webhooks.change(ref, { rateLimit: 10 });
      assert.deepEqual(await claimAll(claims), []);
      await webhooks.change(ref, { url: 'https://elsewhere.example.com/' });
      const attempt = await claimSingle(claims);
      assert.equal(attempt.webhook.url, 'https://elsewhere.example.com/');
      await complete(claims, [attempt], EXHAUSTED, { backoffMs: 60_000 });
      await publishOne(claims, 'n2');
      await webhooks.enable(ref);
      assert.equal((await claimSingle(claims)).deliveryId, 'n2');
    },

    'signs with the secrets that are in force as it is claimed': async ({
      webhooks,
      claims,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(claims, 1);
      await webhooks.rotateSecret(ref, { sealed: 'new', overlapMs: 1_000 });
      const attempt = await claimSingle(claims);
      assert.deepEqual(
        attempt.webhook.secrets.map(({ sealed }) => sealed),
        ['new', 'sealed secret of w1'],
      );
      await complete(claims, [attempt], retryIn(1_000));
      clock.advance(1_000);
      const { secrets } = (await claimSingle(claims)).webhook;
      assert.deepEqual(
        secrets.map(({ sealed }) => sealed),
        ['new'],
      );
    },

    'removes all deliveries with their webhook': async ({ webhooks, claims, clock }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(claims, 3);
      await complete(claims, (await claimOnce(claims, { limit: 1 })).attempts, retryIn(1));
      await webhooks.remove(ref);
      clock.advance(10);
      assert.deepEqual(await claimOnce(claims), { attempts: [], poisoned: [], nextInMs: null });
      assert.deepEqual(await claims.redeliver({ ...ref, deliveryId: 'm1' }), {
        outcome: 'unknown',
      });
      assert.deepEqual(await claims.stats(), { pending: 0, oldestDueAgeMs: 0 });
    },
  },
};

function disabledOf({ disabledAtMs, disabledReason }: WebhookRecord) {
  return { at: disabledAtMs, reason: disabledReason };
}
