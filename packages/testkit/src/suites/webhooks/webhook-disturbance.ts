import assert from 'node:assert/strict';
import { asListed, recordOf } from '../../actions/delivery-records.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { finish, makeAttempt, start } from '../../actions/make-attempt.ts';
import { tally } from '../../actions/outcomes.ts';
import { publish } from '../../actions/publish.ts';
import { found, register } from '../../actions/register-webhook.ts';
import { reschedule } from '../../actions/reschedule.ts';
import {
  ACCOUNT_ID,
  DELIVERED,
  deliveryTo,
  GONE,
  newMessage,
  retryAfter,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

/** Losing what a server may lose without losing data (its script cache, a connection) changes no answer. */
export const webhookDisturbance: Suite<WebhookTrial> = {
  name: 'webhooks: disturbances that lose no data',
  claims: {
    'change nothing between the transitions of a webhook': async ({ webhooks, disturb }) => {
      const ref = await register(webhooks, 'w1');
      await disturb();
      await webhooks.change(ref, { rateLimit: 7 });
      await disturb();
      const rotated = await webhooks.rotateSecret(ref, { sealed: 'b', overlapMs: 10_000 });
      await disturb();
      assert.deepEqual(await webhooks.enable(ref), { outcome: 'was_enabled', webhook: rotated });
      await disturb();
      assert.deepEqual(await webhooks.find(ref), rotated);
      await disturb();
      assert.deepEqual(await webhooks.list(ACCOUNT_ID, { limit: 1, after: null }), [rotated]);
      await disturb();
      assert.equal(await webhooks.remove(ref), true);
    },

    'change nothing between the transitions of a delivery': async ({
      webhooks,
      deliveries,
      clock,
      disturb,
    }) => {
      const ref = await register(webhooks, 'w1');
      const delivery = deliveryTo(ref, 'm1');
      await disturb();
      await publish(deliveries, 'm1');
      await disturb();
      assert.equal((await reschedule(deliveries, ref, 10)).length, 1);
      await disturb();
      clock.advance(1);
      assert.equal((await deliveries.overdue({ graceMs: 0, limit: 10, putOffMs: 0 })).length, 1);
      await disturb();
      const started = await start(deliveries, delivery);
      await disturb();
      await finish(deliveries, delivery, started, GONE);
      await disturb();
      assert.equal((await deliveries.resend(delivery)).outcome, 'held');
      await webhooks.enable(ref);
      await disturb();
      const [released] = found(await deliveries.release(ref, { limit: 1 })).scheduled;
      assert.ok(released !== undefined);
      await makeAttempt(deliveries, released, { kind: 'dead', reason: 'exhausted' });
      await disturb();
      const [recovered] = found(await deliveries.recover(ref, { sinceMs: 0, limit: 1 })).scheduled;
      assert.ok(recovered !== undefined);
      await makeAttempt(deliveries, recovered, retryAfter(0));
      await disturb();
      assert.deepEqual(await deliveries.list(ref, { limit: 10, after: null }), [
        asListed(await recordOf(deliveries, delivery)),
      ]);
      await disturb();
      assert.equal(await deliveries.countPending(), 1);
      await makeAttempt(deliveries, recovered, DELIVERED);
    },

    'change nothing in the midst of a race': async ({
      webhooks,
      deliveries,
      connections,
      disturb,
    }) => {
      const ref = await register(webhooks, 'w1');
      const processes = await connections(8);
      const publishes = () =>
        inParallel(50, processes, (storage) => storage.deliveries.publish(newMessage('m1')));
      const [before, , after] = await Promise.all([publishes(), disturb(), publishes()]);
      assert.deepEqual(tally([...before, ...after]), { published: 1, duplicate: 99 });
      const starts = () =>
        inParallel(50, processes, (storage) =>
          storage.deliveries.start(starting(deliveryTo(ref, 'm1'))),
        );
      const [early, , late] = await Promise.all([starts(), disturb(), starts()]);
      assert.deepEqual(tally([...early, ...late]), { started: 1, deferred: 99 });
      assert.equal(await deliveries.countPending(), 1);
    },
  },
};
