import assert from 'node:assert/strict';
import { assertState, idsOf, recordOf } from '../../actions/delivery-records.ts';
import {
  deferralOf,
  disable,
  finish,
  giveUp,
  makeAttempt,
  start,
} from '../../actions/make-attempt.ts';
import { publish, publishMany, queue } from '../../actions/publish.ts';
import { found, register } from '../../actions/register-webhook.ts';
import {
  ACCOUNT_ID,
  CHANGES,
  DELIVERED,
  deliveryTo,
  finishing,
  GONE,
  newMessage,
  newWebhook,
  POLICY,
  retryAfter,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

/** A client that lost the answer sends its command again; a process may have died before it was done. */
export const webhookResends: Suite<WebhookTrial> = {
  name: 'webhooks: commands sent again',
  claims: {
    'a webhook created again is unchanged, and counts once': async ({ webhooks, clock }) => {
      const one = { maxPerAccount: 1 };
      await webhooks.create(newWebhook('w1'), one);
      clock.advance(1000);
      const changed = await webhooks.change(newWebhook('w1'), { rateLimit: 3 });
      const again = await webhooks.create(newWebhook('w1'), one);
      assert.deepEqual(again, { outcome: 'created', webhook: changed });
      assert.equal((await webhooks.list(ACCOUNT_ID, { limit: 10, after: null })).length, 1);
    },

    'a change made again changes nothing more': async ({ webhooks }) => {
      const ref = await register(webhooks, 'w1');
      const changed = await webhooks.change(ref, CHANGES);
      assert.deepEqual(await webhooks.change(ref, CHANGES), changed);
    },

    'a secret rotated again is kept once, and keeps no other alive for longer': async ({
      webhooks,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const secret = { sealed: 'b', overlapMs: 10_000 };
      const rotated = await webhooks.rotateSecret(ref, secret);
      clock.advance(1000);
      const again = await webhooks.rotateSecret(ref, secret);
      assert.deepEqual(again?.secrets, rotated?.secrets);
    },

    'a webhook enabled again stays enabled, and is answered was_enabled': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      assert.deepEqual(await webhooks.enable(ref), { outcome: 'was_enabled', webhook: ref });
      await disable(deliveries, ref);
      const enabled = await webhooks.enable(ref);
      assert.equal(enabled?.outcome, 'enabled');
      const { webhook } = enabled;
      assert.deepEqual(await webhooks.enable(ref), { outcome: 'was_enabled', webhook });
    },

    'a removal sent again removes nothing more': async ({ webhooks }) => {
      const [removed, kept] = [await register(webhooks, 'w1'), await register(webhooks, 'w2')];
      await webhooks.remove(removed);
      await webhooks.remove(removed);
      assert.deepEqual(await webhooks.list(ACCOUNT_ID, { limit: 10, after: null }), [kept]);
      const two = { maxPerAccount: 2 };
      assert.equal((await webhooks.create(newWebhook('w3'), two)).outcome, 'created');
      assert.equal((await webhooks.create(newWebhook('w4'), two)).outcome, 'limit_reached');
    },

    'a message published again takes no room, and postpones nothing': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publish(deliveries, 'm1');
      const record = await recordOf(deliveries, deliveryTo(ref, 'm1'));
      clock.advance(1000);
      for (let nth = 0; nth < 3; nth += 1) {
        const again = await deliveries.publish(newMessage('m1', { maxQueued: 1 }));
        assert.equal(again.outcome, 'duplicate');
      }
      assert.deepEqual(await recordOf(deliveries, deliveryTo(ref, 'm1')), record);
      assert.equal(await deliveries.countPending(), 1);
    },

    'a message is overdue if its publisher died before its engine had it': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publish(deliveries, 'm1');
      clock.advance(60_001);
      const [overdue] = await deliveries.overdue({ graceMs: 60_000, limit: 10, putOffMs: 0 });
      assert.ok(overdue !== undefined, 'lost');
      assert.equal((await makeAttempt(deliveries, overdue, DELIVERED)).state, 'delivered');
    },

    'an attempt begun again is answered sending, and counts once': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 2 });
      const [first, second] = [
        await queue(deliveries, ref, 'm1'),
        await queue(deliveries, ref, 'm2'),
      ];
      const two = { maxInFlight: 2 };
      await start(deliveries, first, two);
      for (let nth = 0; nth < 3; nth += 1) {
        const { reason } = deferralOf(await deliveries.start(starting(first, two)));
        assert.equal(reason, 'sending');
      }
      await start(deliveries, second, two);
      clock.advance(POLICY.leaseMs);
      assert.equal((await start(deliveries, first, two)).attempt, 2);
    },

    'an attempt ended again changes nothing, and fails its webhook once': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const delivery = await queue(deliveries, ref);
      const started = await start(deliveries, delivery);
      await finish(deliveries, delivery, started, retryAfter(5000));
      const record = await recordOf(deliveries, delivery);
      clock.advance(POLICY.disableAfterMs);
      const again = finishing(delivery, started.attempt, retryAfter(5000));
      assert.deepEqual(await deliveries.finish(again), { outcome: 'stale' });
      assert.deepEqual(await recordOf(deliveries, delivery), record);
      assert.equal((await webhooks.find(ref))?.disabledAtMs, null);
    },

    'an attempt ended again does not disable a webhook that was enabled meanwhile': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      const delivery = await queue(deliveries, ref);
      const started = await start(deliveries, delivery);
      await finish(deliveries, delivery, started, GONE);
      await webhooks.enable(ref);
      const again = finishing(delivery, started.attempt, GONE);
      assert.deepEqual(await deliveries.finish(again), { outcome: 'stale' });
      assert.equal((await webhooks.find(ref))?.disabledAtMs, null);
    },

    'a delivery sent again twice begins one run': async ({ webhooks, deliveries }) => {
      const delivery = await giveUp(deliveries, await register(webhooks, 'w1'), 'm1');
      await deliveries.resend(delivery);
      assert.deepEqual(await deliveries.resend(delivery), { outcome: 'under_way' });
      await start(deliveries, { ...delivery, run: 2 });
      assert.deepEqual(await deliveries.resend(delivery), { outcome: 'under_way' });
      await assertState(deliveries, delivery, 'sending');
    },

    'what was recovered or released is not recovered or released again': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const sinceMs = clock.nowMs();
      await giveUp(deliveries, ref, 'dead');
      await disable(deliveries, ref, 'gone');
      await publishMany(deliveries, 2);
      await webhooks.enable(ref);
      const recover = () => deliveries.recover(ref, { sinceMs, limit: 10 });
      const release = () => deliveries.release(ref, { limit: 10 });
      assert.deepEqual(idsOf(found(await recover()).scheduled), ['dead', 'gone']);
      assert.deepEqual(idsOf(found(await release()).scheduled), ['m1', 'm2']);
      for (const repeat of [recover, release]) {
        assert.deepEqual(await repeat(), { scheduled: [], count: 0, more: false });
      }
      assert.equal(await deliveries.countPending(), 4);
    },
  },
};
