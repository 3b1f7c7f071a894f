import assert from 'node:assert/strict';
import type { AttemptOutcome } from '@latchhook/core/storage';
import {
  CLAIM,
  claimAll,
  claimOnce,
  claimSingle,
  completeAttempts,
  DELIVERED,
  deliveryIds,
  EXHAUSTED,
  GONE,
  listDeliveries,
  onlyDelivery,
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { MINUTE_MS } from '../../samples/login-samples.ts';
import { SECOND_MS } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

export const deliveryResending: Suite<WebhookFixture> = {
  name: 'deliveries: redelivery',
  cases: {
    'resends an ended or waiting delivery with its log, but without its failures': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const notCounted: AttemptOutcome = { kind: 'not_counted', delayMs: MINUTE_MS };
      for (const outcome of [DELIVERED, EXHAUSTED, retryIn(MINUTE_MS), notCounted]) {
        const deliveryId = `m-${outcome.kind}`;
        await publishOne(deliveries, deliveryId);
        const first = await claimSingle(deliveries);
        await completeAttempts(deliveries, [first], outcome);
        clock.advance(10);
        assert.deepEqual(await deliveries.redeliver({ ...ref, deliveryId }), { outcome: 'due' });
        assert.deepEqual(await deliveries.redeliver({ ...ref, deliveryId }), {
          outcome: 'under_way',
        });
        const [due] = await listDeliveries(deliveries, ref, 1);
        const { state, deadReason, nextAttemptAtMs, attempts } = due ?? assert.fail();
        assert.deepEqual([state, deadReason, nextAttemptAtMs], ['waiting', null, clock.nowMs()]);
        assert.equal(attempts.length, 1);
        const resent = await claimSingle(deliveries);
        assert.deepEqual([resent.deliveryId, resent.attempt], [deliveryId, 2]);
        assert.deepEqual([resent.failures, resent.notCounted], [0, 0]);
        assert.deepEqual([resent.body, resent.createdAtMs], [first.body, first.createdAtMs]);
        await completeAttempts(deliveries, [resent], DELIVERED);
        assert.equal((await listDeliveries(deliveries, ref, 1))[0]?.attempts.length, 2);
      }
    },

    'resends a poison message with its count of lost leases reset': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      const request = { maxStalledAttempts: 2 };
      for (let round = 0; round < 2; round += 1) {
        for (let lostLeases = 0; lostLeases < 2; lostLeases += 1) {
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
      await completeAttempts(deliveries, await claimAll(deliveries), EXHAUSTED);
      const results = await inParallel(24, await connections(4), (storage) =>
        storage.deliveries.redeliver({ ...ref, deliveryId: 'm1' }),
      );
      assert.equal(results.filter(({ outcome }) => outcome === 'due').length, 1);
      assert.equal((await deliveries.stats()).pending, 1);
      await claimSingle(deliveries);
    },

    'resends no delivery that is unattempted, in flight or of another account': async ({
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
      await completeAttempts(deliveries, await claimAll(deliveries), GONE);
      assert.deepEqual(await deliveries.redeliver({ ...ref, deliveryId: 'm1' }), {
        outcome: 'due',
      });
      assert.deepEqual(await claimAll(deliveries), []);
      assert.equal((await onlyDelivery(deliveries, ref)).state, 'held');
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
        await completeAttempts(
          deliveries,
          [attempt],
          attempt.deliveryId === 'm4' ? DELIVERED : EXHAUSTED,
        );
      }
      const sinceMs = publishedAtMs[1] ?? 0;
      const batch = await deliveries.redeliverFailed(ref, { sinceMs, limit: 3 });
      assert.deepEqual(batch, { count: 3, more: true });
      clock.advance(1);
      assert.deepEqual(deliveryIds(await claimAll(deliveries)).toSorted(), ['m2', 'm3', 'm5']);
      const rest = await deliveries.redeliverFailed(ref, { sinceMs, limit: 1 });
      assert.deepEqual(rest, { count: 1, more: false });
      clock.advance(1);
      assert.deepEqual(deliveryIds(await claimAll(deliveries)), ['m6']);
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
      const { deliveryId } = await claimSingle(deliveries, { leaseMs: SECOND_MS });
      assert.equal(deliveryId, 'poison');
      clock.advance(SECOND_MS);
      assert.equal((await claimOnce(deliveries, { maxStalledAttempts: 1 })).poisoned.length, 1);
      await publishOne(deliveries, 'exhausted');
      await completeAttempts(deliveries, await claimAll(deliveries), EXHAUSTED);
      await publishOne(deliveries, 'gone');
      await completeAttempts(deliveries, await claimAll(deliveries), GONE);
      const reasons = (await listDeliveries(deliveries, ref)).map((each) => each.deadReason);
      assert.deepEqual(reasons, ['gone', 'exhausted', 'poison', 'expired']);
      const batch = await deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 9 });
      assert.deepEqual(batch, { count: 4, more: false });
      await webhooks.enable(ref);
      assert.equal((await claimAll(deliveries)).length, 4);
    },
  },
};
