import assert from 'node:assert/strict';
import type { DeliveryRef, DeliveryStore, ScheduledDelivery } from '@latchhook/core/storage';
import { assertState, idsOf, recordOf } from '../../actions/delivery-records.ts';
import {
  deliver,
  disable,
  finish,
  giveUp,
  makeAttempt,
  start,
} from '../../actions/make-attempt.ts';
import { publish, queue } from '../../actions/publish.ts';
import { found, register } from '../../actions/register-webhook.ts';
import {
  ACCOUNT_ID,
  DELIVERED,
  EXHAUSTED,
  finishing,
  newMessage,
  newWebhook,
  POLICY,
  retryAfter,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

export const deliveryResending: Suite<WebhookTrial> = {
  name: 'deliveries: sending again',
  claims: {
    'puts a delivered or dead delivery back to its beginning': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (const [id, verdict] of Object.entries({ good: DELIVERED, bad: EXHAUSTED })) {
        const delivery = await queue(deliveries, ref, id);
        await makeAttempt(deliveries, delivery, retryAfter(0));
        await makeAttempt(deliveries, delivery, verdict);
        const before = await recordOf(deliveries, delivery);
        clock.advance(1000);
        const scheduled = await resent(deliveries, delivery);
        assert.deepEqual(scheduled, { ...delivery, run: 2, delayMs: 0 });
        const { state, deadReason, attempts, ...rest } = await recordOf(deliveries, delivery);
        assert.ok(['queued', 'waiting'].includes(state), state);
        assert.equal(deadReason, null);
        assert.equal(rest.createdAtMs, before.createdAtMs);
        assert.deepEqual(attempts, before.attempts);
        const started = await start(deliveries, scheduled);
        assert.deepEqual([started.attempt, started.triesBefore], [3, 0]);
        assert.equal(started.body, newMessage(id).body);
        await finish(deliveries, delivery, started, DELIVERED);
        assert.equal((await recordOf(deliveries, delivery)).attempts.length, 3);
      }
    },

    'leaves a delivery alone that is on its way': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      const queued = await queue(deliveries, ref, 'queued');
      const sending = await queue(deliveries, ref, 'sending');
      await start(deliveries, sending);
      const waiting = await queue(deliveries, ref, 'waiting');
      await makeAttempt(deliveries, waiting, retryAfter(0));
      for (const delivery of [queued, sending, waiting]) {
        const before = await recordOf(deliveries, delivery);
        assert.deepEqual(await deliveries.resend(delivery), { outcome: 'under_way' });
        assert.deepEqual(await recordOf(deliveries, delivery), before);
        assert.equal(before.state, delivery.deliveryId);
      }
    },

    'sends a delivery at once that waits for its next try': async ({ webhooks, deliveries }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'), 'm1');
      await makeAttempt(deliveries, delivery, retryAfter(3_600_000));
      const scheduled = await resent(deliveries, delivery);
      assert.deepEqual(scheduled, { ...delivery, run: 2, delayMs: 0 });
      assert.deepEqual(await deliveries.resend(delivery), { outcome: 'under_way' });
      assert.deepEqual(await deliveries.start(starting(delivery)), { outcome: 'over' });
      const started = await start(deliveries, scheduled);
      assert.deepEqual([started.attempt, started.triesBefore], [2, 0]);
      await finish(deliveries, delivery, started, DELIVERED);
      assert.equal(await deliveries.countPending(), 0);
    },

    'ends the earlier run: a start of that one comes too late': async ({
      webhooks,
      deliveries,
    }) => {
      const delivery = await giveUp(deliveries, await register(webhooks, 'w1'), 'm1');
      for (const run of [2, 3]) {
        const scheduled = await resent(deliveries, delivery);
        assert.equal(scheduled.run, run);
        for (let earlier = 1; earlier < run; earlier += 1) {
          const asked = await deliveries.start(starting({ ...delivery, run: earlier }));
          assert.deepEqual(asked, { outcome: 'over' });
        }
        const { attempt: number } = await start(deliveries, scheduled);
        const late = finishing(delivery, number - 1, DELIVERED);
        assert.deepEqual(await deliveries.finish(late), { outcome: 'stale' });
        await finish(deliveries, delivery, { attempt: number }, EXHAUSTED);
      }
    },

    'respects the rate': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      const scheduled = await resent(deliveries, await giveUp(deliveries, ref, 'm1'));
      assert.ok(scheduled.delayMs > 0, 'scheduled in a window that is full');
      assert.equal((await deliveries.start(starting(scheduled))).outcome, 'deferred');
    },

    'treats deliveries of other accounts as unknown': async ({ webhooks, deliveries }) => {
      const delivery = await giveUp(deliveries, await register(webhooks, 'w1'), 'm1');
      const unknown = [
        { ...delivery, accountId: ACCOUNT_ID + 1 },
        { ...delivery, webhookId: 'w2' },
        { ...delivery, deliveryId: 'm2' },
      ];
      for (const ref of unknown) {
        assert.deepEqual(await deliveries.resend(ref), { outcome: 'unknown' });
      }
      await assertState(deliveries, delivery, 'dead');
    },

    'is held if the webhook is disabled, until it is enabled': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      const delivery = await deliver(deliveries, ref, 'm1');
      await disable(deliveries, ref);
      assert.deepEqual(await deliveries.resend(delivery), { outcome: 'held' });
      await assertState(deliveries, delivery, 'held');
      await webhooks.enable(ref);
      const { scheduled } = found(await deliveries.release(ref, { limit: 10 }));
      assert.deepEqual(idsOf(scheduled), ['m1']);
      for (const released of scheduled) await makeAttempt(deliveries, released, DELIVERED);
      await assertState(deliveries, delivery, 'delivered');
    },

    'recovers what died since the given time, oldest first, batch by batch': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await giveUp(deliveries, ref, 'before');
      clock.advance(1);
      const sinceMs = clock.nowMs();
      for (const id of ['m1', 'm2', 'm3', 'm4', 'm5']) {
        await giveUp(deliveries, ref, id);
        clock.advance(1);
      }
      const delivered = await deliver(deliveries, ref, 'delivered');
      const recovered: ScheduledDelivery[] = [];
      for (let more = true; more; ) {
        const batch = found(await deliveries.recover(ref, { sinceMs, limit: 2 }));
        assert.ok(batch.scheduled.length <= 2);
        assert.ok(batch.scheduled.length > 0 || !batch.more, 'an empty batch, and more');
        recovered.push(...batch.scheduled);
        more = batch.more;
      }
      assert.deepEqual(idsOf(recovered), ['m1', 'm2', 'm3', 'm4', 'm5']);
      await assertState(deliveries, { ...ref, deliveryId: 'before' }, 'dead');
      await assertState(deliveries, delivered, 'delivered');
      for (const delivery of recovered) {
        const started = await start(deliveries, delivery);
        assert.deepEqual([delivery.run, started.attempt, started.triesBefore], [2, 2, 0]);
      }
    },

    'counts what it recovers, even if a disabled webhook holds it': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const sinceMs = clock.nowMs();
      await giveUp(deliveries, ref, 'm1');
      await giveUp(deliveries, ref, 'm2');
      assert.equal((await deliveries.recover(ref, { sinceMs, limit: 1 }))?.count, 1);
      await disable(deliveries, ref);
      const request = { sinceMs, limit: 10 };
      const { scheduled, count } = found(await deliveries.recover(ref, request));
      // The delivery that disabled the webhook is dead too.
      assert.deepEqual([scheduled, count], [[], 2]);
    },

    'also recovers what expired': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      const sinceMs = clock.nowMs();
      await publish(deliveries, 'm1', { maxQueued: 1 });
      await publish(deliveries, 'm2', { maxQueued: 1 });
      const { scheduled } = found(await deliveries.recover(ref, { sinceMs, limit: 10 }));
      assert.deepEqual(idsOf(scheduled), ['m1']);
      for (const delivery of scheduled) await makeAttempt(deliveries, delivery, DELIVERED);
    },

    'tells an unknown webhook from one with nothing to recover, release or reschedule': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const sinceMs = clock.nowMs();
      const delivery = await giveUp(deliveries, ref, 'm1');
      const request = { ...POLICY, limit: 10, after: null };
      for (const unknown of [{ ...ref, accountId: ACCOUNT_ID + 1 }, newWebhook('w2')]) {
        assert.equal(await deliveries.recover(unknown, { sinceMs, limit: 10 }), null);
        assert.equal(await deliveries.release(unknown, { limit: 10 }), null);
        assert.equal(await deliveries.reschedule(unknown, request), null);
      }
      await assertState(deliveries, delivery, 'dead');
      const nothing = { scheduled: [], count: 0, more: false };
      const since = { sinceMs: sinceMs + 1, limit: 10 };
      assert.deepEqual(await deliveries.recover(ref, since), nothing);
      assert.deepEqual(await deliveries.release(ref, { limit: 10 }), nothing);
      assert.deepEqual(await deliveries.reschedule(ref, request), []);
    },
  },
};

async function resent(deliveries: DeliveryStore, delivery: DeliveryRef) {
  const answer = await deliveries.resend(delivery);
  if (answer.outcome === 'scheduled') return answer.scheduled;
  assert.fail(`expected the delivery to be scheduled, not ${answer.outcome}`);
}
