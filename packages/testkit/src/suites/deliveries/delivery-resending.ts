import assert from 'node:assert/strict';
import type { AttemptOutcome } from '@latchhook/core/storage';
import {
  CLAIM,
  claimAll,
  claimOnce,
  claimSingle,
  complete,
  DELIVERED,
  EXHAUSTED,
  GONE,
  listed,
  names,
  onlyListed,
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import type { Suite } from '../../suite.ts';

export const deliveryResending: Suite<WebhookFixture> = {
  name: 'deliveries: redelivery',
  cases: {
    'resends an ended or waiting delivery with its log, and resets its failures': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const notCounted: AttemptOutcome = { kind: 'not_counted', delayMs: 60_000 };
      for (const outcome of [DELIVERED, EXHAUSTED, retryIn(60_000), notCounted]) {
        const deliveryId = `m-${outcome.kind}`;
        await publishOne(deliveries, deliveryId);
        const first = await claimSingle(deliveries);
        await complete(deliveries, [first], outcome);
        clock.advance(10);
        assert.deepEqual(await deliveries.redeliver({ ...ref, deliveryId }), { outcome: 'due' });
        assert.deepEqual(await deliveries.redeliver({ ...ref, deliveryId }), {
          outcome: 'under_way',
        });
        const [due] = await listed(deliveries, ref, 1);
        const { state, deadReason, nextAttemptAtMs, attempts } = due ?? assert.fail();
        assert.deepEqual([state, deadReason, nextAttemptAtMs], ['waiting', null, clock.nowMs()]);
        assert.equal(attempts.length, 1);
        const again = await claimSingle(deliveries);
        assert.deepEqual([again.deliveryId, again.attempt], [deliveryId, 2]);
        assert.deepEqual([again.failures, again.notCounted], [0, 0]);
        assert.deepEqual([again.body, again.createdAtMs], [first.body, first.createdAtMs]);
        await complete(deliveries, [again], DELIVERED);
        assert.equal((await listed(deliveries, ref, 1))[0]?.attempts.length, 2);
      }
    },

    'resends a poison message, and resets its count of lost leases': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      const request = { maxStalledAttempts: 2 };
      for (let round = 0; round < 2; round += 1) {
        for (let lost = 0; lost < 2; lost += 1) {
          await claimSingle(deliveries, request);
          clock.advance(CLAIM.leaseMs);
        }
        assert.equal((await claimOnce(deliveries, request)).poisoned.length, 1);
        assert.equal((await deliveries.redeliver({ ...ref, deliveryId: 'm1' })).outcome, 'due');
      }
    },

    'resends a delivery once under parallel requests': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      await complete(deliveries, await claimAll(deliveries), EXHAUSTED);
      const answers = await inParallel(24, await connections(4), (storage) =>
        storage.deliveries.redeliver({ ...ref, deliveryId: 'm1' }),
      );
      assert.equal(answers.filter(({ outcome }) => outcome === 'due').length, 1);
      assert.equal((await deliveries.stats()).pending, 1);
      await claimSingle(deliveries);
    },

    'does not resend an unattempted delivery, one in flight, or one of another account': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      await register(webhooks, 'w2', { event: 'Contact.Removed' });
      await publishOne(deliveries, 'm1');
      const redeliver = (change: object) =>
        deliveries.redeliver({ ...ref, deliveryId: 'm1', ...change });
      assert.deepEqual(await redeliver({}), { outcome: 'under_way' });
      await claimSingle(deliveries);
      assert.deepEqual(await redeliver({}), { outcome: 'under_way' });
      for (const change of [{ deliveryId: 'm2' }, { webhookId: 'w2' }, { accountId: 8 }]) {
        assert.deepEqual(await redeliver(change), { outcome: 'unknown' });
      }
    },

    'resends deliveries of a disabled webhook once it is enabled': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      await complete(deliveries, await claimAll(deliveries), GONE);
      assert.deepEqual(await deliveries.redeliver({ ...ref, deliveryId: 'm1' }), {
        outcome: 'due',
      });
      assert.deepEqual(await claimAll(deliveries), []);
      assert.equal((await onlyListed(deliveries, ref)).state, 'held');
      await webhooks.enable(ref);
      assert.equal((await claimSingle(deliveries)).deliveryId, 'm1');
    },

    'resends failed deliveries published since a time, the oldest first': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const publishedAtMs: number[] = [];
      for (let i = 1; i <= 6; i += 1) {
        clock.advance(10);
        publishedAtMs.push(clock.nowMs());
        await publishOne(deliveries, `m${i}`);
      }
      for (const attempt of await claimAll(deliveries)) {
        await complete(deliveries, [attempt], attempt.deliveryId === 'm4' ? DELIVERED : EXHAUSTED);
      }
      const sinceMs = publishedAtMs[1] ?? 0;
      const some = await deliveries.redeliverFailed(ref, { sinceMs, limit: 3 });
      assert.deepEqual(some, { count: 3, more: true });
      clock.advance(1);
      assert.deepEqual(names(await claimAll(deliveries)).toSorted(), ['m2', 'm3', 'm5']);
      const rest = await deliveries.redeliverFailed(ref, { sinceMs, limit: 1 });
      assert.deepEqual(rest, { count: 1, more: false });
      clock.advance(1);
      assert.deepEqual(names(await claimAll(deliveries)), ['m6']);
      assert.deepEqual(await deliveries.redeliverFailed(ref, { sinceMs, limit: 3 }), {
        count: 0,
        more: false,
      });
      const unknown = { ...ref, webhookId: 'w2' };
      assert.equal(await deliveries.redeliverFailed(unknown, { sinceMs, limit: 3 }), null);
    },

    'resends failed deliveries of every reason': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      await publishOne(deliveries, 'expired');
      await publishOne(deliveries, 'poison', { maxQueued: 1 });
      const { deliveryId } = await claimSingle(deliveries, { leaseMs: 1_000 });
      assert.equal(deliveryId, 'poison');
      clock.advance(1_000);
      assert.equal((await claimOnce(deliveries, { maxStalledAttempts: 1 })).poisoned.length, 1);
      await publishOne(deliveries, 'exhausted');
      await complete(deliveries, await claimAll(deliveries), EXHAUSTED);
      await publishOne(deliveries, 'gone');
      await complete(deliveries, await claimAll(deliveries), GONE);
      const reasons = (await listed(deliveries, ref)).map((each) => each.deadReason);
      assert.deepEqual(reasons, ['gone', 'exhausted', 'poison', 'expired']);
      const again = await deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 9 });
      assert.deepEqual(again, { count: 4, more: false });
      await webhooks.enable(ref);
      assert.equal((await claimAll(deliveries)).length, 4);
    },
  },
};
