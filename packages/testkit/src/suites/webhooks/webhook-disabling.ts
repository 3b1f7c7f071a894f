import assert from 'node:assert/strict';
import { assertState, idsOf, recordOf } from '../../actions/delivery-records.ts';
import { disable, finish, makeAttempt, start } from '../../actions/make-attempt.ts';
import { publish, queue } from '../../actions/publish.ts';
import { found, register } from '../../actions/register-webhook.ts';
import { DAY_MS } from '../../samples/login-samples.ts';
import {
  DELIVERED,
  deliveryTo,
  EXHAUSTED,
  excusedFor,
  GONE,
  POLICY,
  retryAfter,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const FAILING = { disableAfterMs: POLICY.disableAfterMs } as const;

export const webhookDisabling: Suite<WebhookTrial> = {
  name: 'webhooks: disabling',
  claims: {
    'happens at once, and once, if the receiver is gone': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const [first, second] = [
        await queue(deliveries, ref, 'm1'),
        await queue(deliveries, ref, 'm2'),
      ];
      const others = await start(deliveries, second);
      clock.advance(1000);
      const disabledAtMs = clock.nowMs();
      assert.deepEqual(await makeAttempt(deliveries, first, GONE), {
        outcome: 'finished',
        state: 'dead',
        disabled: 'gone',
        next: null,
      });
      clock.advance(1000);
      const late = await finish(deliveries, second, others, GONE);
      assert.deepEqual([late.state, late.disabled], ['dead', null]);
      const record = await webhooks.find(ref);
      assert.deepEqual([record?.disabledAtMs, record?.disabledReason], [disabledAtMs, 'gone']);
      assert.equal((await recordOf(deliveries, first)).deadReason, 'gone');
    },

    'happens as one is given up after nothing but failures for disableAfterMs': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2', 'm3', 'm5']) await publish(deliveries, id);
      const fail = (id: string, verdict = retryAfter(DAY_MS)) =>
        makeAttempt(deliveries, deliveryTo(ref, id), verdict);
      assert.equal((await fail('m1')).disabled, null);
      clock.advance(FAILING.disableAfterMs / 2);
      assert.equal((await fail('m2', EXHAUSTED)).disabled, null);
      clock.advance(FAILING.disableAfterMs / 2 - 1);
      assert.equal((await fail('m3', EXHAUSTED)).disabled, null);
      await publish(deliveries, 'm4');
      clock.advance(1);
      assert.equal((await fail('m4')).disabled, null);
      assert.equal((await webhooks.find(ref))?.disabledAtMs, null);
      assert.deepEqual(await fail('m5', EXHAUSTED), {
        outcome: 'finished',
        state: 'dead',
        disabled: 'failing',
        next: null,
      });
      const record = await webhooks.find(ref);
      assert.deepEqual([record?.disabledAtMs, record?.disabledReason], [clock.nowMs(), 'failing']);
    },

    'happens as well as one fails again that was published disableAfterMs ago': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const first = await queue(deliveries, ref, 'm1');
      await makeAttempt(deliveries, first, retryAfter(1));
      clock.advance(1);
      const second = await queue(deliveries, ref, 'm2');
      clock.advance(FAILING.disableAfterMs - 1);
      assert.equal((await makeAttempt(deliveries, second, retryAfter(1))).disabled, null);
      assert.deepEqual(await makeAttempt(deliveries, first, retryAfter(1)), {
        outcome: 'finished',
        state: 'held',
        disabled: 'failing',
        next: null,
      });
      await assertState(deliveries, first, 'held');
    },

    'is postponed by a success, as if nothing had failed before': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2', 'm3', 'm4']) await publish(deliveries, id);
      const end = (id: string, verdict = EXHAUSTED) =>
        makeAttempt(deliveries, deliveryTo(ref, id), verdict);
      await end('m1');
      await end('m2', DELIVERED);
      clock.advance(FAILING.disableAfterMs);
      assert.equal((await end('m3')).disabled, null);
      clock.advance(FAILING.disableAfterMs);
      assert.equal((await end('m4')).disabled, 'failing');
    },

    'is neither begun nor postponed by excused attempts': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const [excused, failed] = [
        await queue(deliveries, ref, 'm1'),
        await queue(deliveries, ref, 'm2'),
      ];
      await makeAttempt(deliveries, excused, excusedFor(0));
      clock.advance(1000);
      await makeAttempt(deliveries, failed, retryAfter(0));
      clock.advance(FAILING.disableAfterMs - 1000);
      const late = await makeAttempt(deliveries, excused, excusedFor(0));
      assert.deepEqual([late.state, late.disabled], ['waiting', null]);
      const another = await queue(deliveries, ref, 'm3');
      assert.equal((await makeAttempt(deliveries, another, EXHAUSTED)).disabled, null);
      clock.advance(1000);
      assert.equal((await makeAttempt(deliveries, excused, excusedFor(0))).disabled, null);
      assert.equal((await makeAttempt(deliveries, failed, EXHAUSTED)).disabled, 'failing');
    },

    'is undone by enabling, and earlier failures are forgotten': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2', 'm3']) await publish(deliveries, id);
      const fail = async (id: string) =>
        (await makeAttempt(deliveries, deliveryTo(ref, id), EXHAUSTED)).disabled;
      await fail('m1');
      clock.advance(FAILING.disableAfterMs);
      assert.equal(await fail('m2'), 'failing');
      const enabled = await webhooks.enable(ref);
      assert.equal(enabled?.outcome, 'enabled');
      const { disabledAtMs, disabledReason } = enabled.webhook;
      assert.deepEqual([disabledAtMs, disabledReason], [null, null]);
      assert.deepEqual(await webhooks.find(ref), enabled.webhook);
      assert.equal(await fail('m3'), null);
    },

    'holds deliveries that were to start, and those to be tried again': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      const [queued, sending] = [
        await queue(deliveries, ref, 'm1'),
        await queue(deliveries, ref, 'm2'),
      ];
      const started = await start(deliveries, sending);
      await disable(deliveries, ref);
      assert.deepEqual(await deliveries.start(starting(queued)), { outcome: 'held' });
      const ended = await finish(deliveries, sending, started, retryAfter(1000));
      assert.deepEqual([ended.state, ended.disabled], ['held', null]);
      for (const delivery of [queued, sending]) {
        const { state, nextAttemptAtMs } = await recordOf(deliveries, delivery);
        assert.deepEqual([state, nextAttemptAtMs], ['held', null]);
        assert.deepEqual(await deliveries.start(starting(delivery)), { outcome: 'held' });
      }
      assert.equal(await deliveries.countPending(), 0);
    },

    'does not change the result of an attempt in flight': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      const delivery = await queue(deliveries, ref);
      const started = await start(deliveries, delivery);
      await disable(deliveries, ref);
      assert.equal((await finish(deliveries, delivery, started, DELIVERED)).state, 'delivered');
      assert.equal((await webhooks.find(ref))?.disabledReason, 'gone');
    },

    'releases no held delivery until it is undone by enabling': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      await disable(deliveries, ref);
      const held = await queue(deliveries, ref);
      const batch = await deliveries.release(ref, { limit: 10 });
      assert.deepEqual(batch, { scheduled: [], count: 0, more: false });
      await assertState(deliveries, held, 'held');
    },

    'reschedules no delivery until it is undone by enabling': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      const waiting = await queue(deliveries, ref, 'm1');
      const request = { ...POLICY, limit: 10, after: null };
      await disable(deliveries, ref);
      assert.deepEqual(await deliveries.reschedule(ref, request), []);
      await webhooks.enable(ref);
      assert.deepEqual(idsOf(found(await deliveries.reschedule(ref, request))), [
        waiting.deliveryId,
      ]);
    },
  },
};
