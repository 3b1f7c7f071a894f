import assert from 'node:assert/strict';
import type {
  DeliveryRef,
  DeliveryStore,
  ScheduledDelivery,
  WebhookRef,
} from '@latchhook/core/storage';
import { assertState, idsOf } from '../../actions/delivery-records.ts';
import { disable, finish, makeAttempt, start } from '../../actions/make-attempt.ts';
import { publishMany, queue } from '../../actions/publish.ts';
import { byWebhook, found, register } from '../../actions/register-webhook.ts';
import { ACCOUNT_ID, DELIVERED, retryAfter, starting } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

export const webhookEnabling: Suite<WebhookTrial> = {
  name: 'webhooks: enabling',
  claims: {
    'releases first tries to wait as such, and all others as retries': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      const tried = await queue(deliveries, ref, 'm1');
      const started = await start(deliveries, tried);
      await disable(deliveries, ref);
      await finish(deliveries, tried, started, retryAfter(0));
      const fresh = await queue(deliveries, ref, 'm2');
      await webhooks.enable(ref);
      const { scheduled } = found(await deliveries.release(ref, { limit: 10 }));
      assert.deepEqual(idsOf(scheduled), ['m1', 'm2']);
      await assertState(deliveries, tried, 'waiting');
      await assertState(deliveries, fresh, 'queued');
    },

    'releases all that is held, oldest first, batch by batch': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      await disable(deliveries, ref);
      await publishMany(deliveries, 7);
      await webhooks.enable(ref);
      const released: ScheduledDelivery[] = [];
      for (let more = true; more; ) {
        const batch = found(await deliveries.release(ref, { limit: 3 }));
        assert.ok(batch.scheduled.length <= 3);
        assert.ok(batch.scheduled.length > 0 || !batch.more, 'an empty batch, and more');
        released.push(...batch.scheduled);
        more = batch.more;
      }
      assert.deepEqual(idsOf(released), ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7']);
      for (const delivery of released) {
        // An engine may still know the first run, which it saw end as held.
        assert.deepEqual([delivery.run, delivery.delayMs], [2, 0]);
        await assertState(deliveries, delivery, 'queued');
        await delivered(deliveries, delivery);
      }
      assert.deepEqual(await deliveries.release(ref, { limit: 3 }), {
        scheduled: [],
        count: 0,
        more: false,
      });
    },

    'names an enabled webhook for as long as any of its deliveries are held': async ({
      webhooks,
      deliveries,
    }) => {
      const { accountId, webhookId } = await register(webhooks, 'w1');
      const ref = { accountId, webhookId };
      await disable(deliveries, ref);
      await publishMany(deliveries, 3);
      const unreleased = () => deliveries.unreleased({ limit: 10 });
      assert.deepEqual(await unreleased(), []);
      await webhooks.enable(ref);
      assert.deepEqual(await unreleased(), [ref]);
      await deliveries.release(ref, { limit: 2 });
      assert.deepEqual(await unreleased(), [ref]);
      await deliveries.release(ref, { limit: 2 });
      assert.deepEqual(await unreleased(), []);
    },

    'names up to so many of them, and none that was disabled again or removed': async ({
      webhooks,
      deliveries,
    }) => {
      const ids = ['w1', 'w2', 'w3', 'w4'];
      const refs = ids.map((webhookId): WebhookRef => ({ accountId: ACCOUNT_ID, webhookId }));
      for (const ref of refs) {
        await register(webhooks, ref.webhookId);
        await disable(deliveries, ref, `last of ${ref.webhookId}`);
      }
      await publishMany(deliveries, 1);
      for (const ref of refs) await webhooks.enable(ref);
      const [disabled, removed, ...left] = refs;
      assert.ok(disabled && removed);
      await disable(deliveries, disabled, 'the very last');
      await webhooks.remove(removed);
      assert.deepEqual(byWebhook(await deliveries.unreleased({ limit: 10 })), left);
      assert.equal((await deliveries.unreleased({ limit: 1 })).length, 1);
    },

    'names each of them now and then, though there are more than it may name': async ({
      webhooks,
      deliveries,
    }) => {
      const ids = ['w1', 'w2', 'w3'];
      for (const id of ids)
        await disable(deliveries, await register(webhooks, id), `last of ${id}`);
      await publishMany(deliveries, 1);
      for (const webhookId of ids) await webhooks.enable({ accountId: ACCOUNT_ID, webhookId });
      const named = new Set<string>();
      // By chance: one of them is left out in one of 10^17 runs.
      for (let look = 0; look < 100 && named.size < ids.length; look += 1) {
        for (const { webhookId } of await deliveries.unreleased({ limit: 1 })) named.add(webhookId);
      }
      assert.deepEqual([...named].sort(), ids);
    },

    'lets released deliveries start within the rate, in the order of publishing': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 2 });
      await disable(deliveries, ref);
      clock.advance(10_000);
      await publishMany(deliveries, 4);
      await webhooks.enable(ref);
      const newest = await queue(deliveries, ref, 'newest');
      const { scheduled } = found(await deliveries.release(ref, { limit: 10 }));
      assert.deepEqual(
        scheduled.map(({ delayMs }) => delayMs === 0),
        [true, true, false, false],
      );
      // A held first try goes before deliveries that were published after it.
      assert.equal((await deliveries.start(starting(newest))).outcome, 'deferred');
      for (const delivery of scheduled.slice(0, 2)) await delivered(deliveries, delivery);
      for (const delivery of scheduled.slice(2)) {
        assert.equal((await deliveries.start(starting(delivery))).outcome, 'deferred');
      }
    },
  },
};

async function delivered(
  deliveries: DeliveryStore,
  delivery: DeliveryRef & { readonly run: number },
): Promise<void> {
  assert.equal((await makeAttempt(deliveries, delivery, DELIVERED)).state, 'delivered');
}
