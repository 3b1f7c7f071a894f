import assert from 'node:assert/strict';
import { LEASE_SLACK_MS } from '@latchhook/core/storage';
import { idsOf } from '../../actions/delivery-records.ts';
import {
  deferralOf,
  deliver,
  disable,
  giveUp,
  makeAttempt,
  start,
} from '../../actions/make-attempt.ts';
import { publish, publishMany, queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import { DELIVERED, retryAfter, starting } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const LEASE_MS = 10_000;
const PUT_OFF_MS = 30_000;

export const deliveryLag: Suite<WebhookTrial> = {
  name: 'deliveries: how late they are',
  claims: {
    'are as late as the first that should have started, of all webhooks': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const [ref, other] = [await register(webhooks, 'w1'), await register(webhooks, 'w2')];
      assert.equal(await deliveries.lagMs(), 0);
      const first = await queue(deliveries, ref, 'm1');
      clock.advance(10);
      const second = await queue(deliveries, other, 'm2');
      assert.equal(await deliveries.lagMs(), 10);
      clock.advance(5);
      assert.equal(await deliveries.lagMs(), 15);
      await makeAttempt(deliveries, first, DELIVERED);
      assert.equal(await deliveries.lagMs(), 5);
      await makeAttempt(deliveries, second, retryAfter(1000));
      assert.equal(await deliveries.lagMs(), 0);
      clock.advance(1003);
      assert.equal(await deliveries.lagMs(), 3);
    },

    'are not late before they are scheduled': async ({ webhooks, deliveries, clock }) => {
      await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
      const [first, second] = await publishMany(deliveries, 2);
      assert.ok(first !== undefined && second !== undefined);
      await makeAttempt(deliveries, first, DELIVERED);
      const { delayMs } = deferralOf(await deliveries.start(starting(second)));
      clock.advance(delayMs);
      assert.equal(await deliveries.lagMs(), 0);
      clock.advance(1);
      assert.equal(await deliveries.lagMs(), 1);
    },

    'are late when their process died, and not while the lease lasts': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await start(deliveries, await queue(deliveries, ref, 'm1'), { leaseMs: LEASE_MS });
      clock.advance(LEASE_MS - 1);
      assert.equal(await deliveries.lagMs(), 0);
      await queue(deliveries, ref, 'm2');
      clock.advance(1);
      assert.equal(await deliveries.lagMs(), LEASE_SLACK_MS);
    },

    'are late from their new due time, once returned as overdue': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await queue(deliveries, ref, 'm1');
      clock.advance(10);
      await queue(deliveries, ref, 'm2');
      clock.advance(5);
      const findOverdue = () => deliveries.overdue({ graceMs: 0, limit: 1, putOffMs: PUT_OFF_MS });
      assert.deepEqual(idsOf(await findOverdue()), ['m1']);
      assert.equal(await deliveries.lagMs(), 5);
      assert.deepEqual(idsOf(await findOverdue()), ['m2']);
      assert.equal(await deliveries.lagMs(), 0);
      clock.advance(PUT_OFF_MS + 7);
      assert.equal(await deliveries.lagMs(), 7);
    },

    'are not late if nothing is to start': async ({ webhooks, deliveries, clock }) => {
      const [well, gone] = [await register(webhooks, 'w1'), await register(webhooks, 'w2')];
      const removed = await register(webhooks, 'w3');
      await deliver(deliveries, well, 'delivered');
      await giveUp(deliveries, well, 'dead');
      await disable(deliveries, gone);
      await queue(deliveries, gone, 'held');
      await queue(deliveries, removed, 'removed');
      await publish(deliveries, 'forgotten', { webhookId: well.webhookId, retentionMs: 50 });
      clock.advance(49);
      assert.equal(await deliveries.lagMs(), 49);
      await webhooks.remove(removed);
      assert.equal(await deliveries.lagMs(), 49);
      clock.advance(1);
      assert.equal(await deliveries.lagMs(), 0);
    },
  },
};
