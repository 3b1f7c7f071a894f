import assert from 'node:assert/strict';
import { PING_EVENT } from '@latchhook/core';
import { asListed, assertState, idsOf, recordOf } from '../../actions/delivery-records.ts';
import { disable, start } from '../../actions/make-attempt.ts';
import { publish } from '../../actions/publish.ts';
import { byWebhook, register } from '../../actions/register-webhook.ts';
import {
  ACCOUNT_ID,
  deliveryTo,
  EVENT,
  newMessage,
  newWebhook,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

export const deliveryPublishing: Suite<WebhookTrial> = {
  name: 'deliveries: publishing',
  claims: {
    'makes a delivery for every webhook of the account that is for the event': async ({
      webhooks,
      deliveries,
    }) => {
      for (const id of ['w1', 'w2']) await register(webhooks, id);
      await register(webhooks, 'for another event', { event: 'Contact.Removed' });
      await register(webhooks, 'of another account', { accountId: ACCOUNT_ID + 1 });
      const answer = await publish(deliveries, 'm1');
      assert.deepEqual(
        { ...answer, scheduled: byWebhook(answer.scheduled) },
        {
          outcome: 'published',
          messageId: 'm1',
          deliveries: 2,
          scheduled: ['w1', 'w2'].map((webhookId) => ({
            accountId: ACCOUNT_ID,
            webhookId,
            deliveryId: 'm1',
            run: 1,
            delayMs: 0,
          })),
          expired: [],
        },
      );
      assert.equal(await deliveries.countPending(), 2);
    },

    'keeps a delivery as published, queued and due': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      await publish(deliveries, 'm1');
      const record = await recordOf(deliveries, deliveryTo(ref, 'm1'));
      const { sequence, ...rest } = record;
      assert.ok(Number.isSafeInteger(sequence), `a sequence of ${sequence}`);
      assert.deepEqual(rest, {
        ...deliveryTo(ref, 'm1'),
        event: EVENT,
        state: 'queued',
        deadReason: null,
        createdAtMs: clock.nowMs(),
        nextAttemptAtMs: clock.nowMs(),
        attempts: [],
      });
      assert.deepEqual(JSON.parse(JSON.stringify(record)), record);
    },

    'lists the deliveries of a webhook, newest first, page by page': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      const ids = Array.from({ length: 7 }, (_, nth) => `m${(nth * 5) % 7}`);
      for (const id of ids) await publish(deliveries, id);
      const listed: string[] = [];
      for (let after: number | null = null; ; ) {
        const page = await deliveries.list(ref, { limit: 3, after });
        assert.ok(page !== null);
        listed.push(...idsOf(page));
        const last = page.at(-1);
        if (last === undefined) break;
        assert.deepEqual(last, asListed(await recordOf(deliveries, last)));
        after = last.sequence;
      }
      assert.deepEqual(listed, ids.toReversed());
      assert.equal(await deliveries.list(newWebhook('w2'), { limit: 3, after: null }), null);
    },

    'shows a delivery to its own account only': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      await publish(deliveries, 'm1');
      const stranger = { ...ref, accountId: ACCOUNT_ID + 1 };
      assert.equal(await deliveries.find(deliveryTo(stranger, 'm1')), null);
      assert.equal(await deliveries.list(stranger, { limit: 3, after: null }), null);
      const asked = await deliveries.start(starting(deliveryTo(stranger, 'm1')));
      assert.deepEqual(asked, { outcome: 'over' });
      await assertState(deliveries, deliveryTo(ref, 'm1'), 'queued');
    },

    'succeeds without any webhook': async ({ deliveries }) => {
      const { scheduled, deliveries: count } = await publish(deliveries, 'm1');
      assert.deepEqual({ scheduled, count }, { scheduled: [], count: 0 });
    },

    'holds deliveries to a disabled webhook': async ({ webhooks, deliveries }) => {
      const [well, gone] = [await register(webhooks, 'w1'), await register(webhooks, 'w2')];
      await disable(deliveries, gone);
      const answer = await publish(deliveries, 'm1');
      assert.equal(answer.deliveries, 2);
      assert.deepEqual(
        answer.scheduled.map(({ webhookId }) => webhookId),
        ['w1'],
      );
      const held = await recordOf(deliveries, deliveryTo(gone, 'm1'));
      assert.deepEqual([held.state, held.nextAttemptAtMs], ['held', null]);
      await assertState(deliveries, deliveryTo(well, 'm1'), 'queued');
      assert.equal(await deliveries.countPending(), 1);
    },

    'reaches the one webhook that a message names, whatever its event': async ({
      webhooks,
      deliveries,
    }) => {
      for (const id of ['w1', 'w2']) await register(webhooks, id);
      const ping = { event: PING_EVENT, webhookId: 'w2' };
      const answer = await publish(deliveries, 'm1', ping);
      assert.equal(answer.deliveries, 1);
      assert.deepEqual(
        answer.scheduled.map(({ webhookId }) => webhookId),
        ['w2'],
      );
      const record = await recordOf(deliveries, deliveryTo(newWebhook('w2'), 'm1'));
      assert.equal(record.event, PING_EVENT);
    },

    'stores nothing for a webhook of another account': async ({ webhooks, deliveries }) => {
      await register(webhooks, 'theirs', { accountId: ACCOUNT_ID + 1 });
      for (const webhookId of ['theirs', 'nobody’s']) {
        const answer = await deliveries.publish(newMessage('m1', { webhookId }));
        assert.deepEqual(answer, { outcome: 'unknown' });
      }
      assert.equal(await deliveries.countPending(), 0);
      await publish(deliveries, 'm1');
    },

    'gives up the oldest delivery never tried, if too many wait': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      const three = { maxQueued: 3 };
      for (const id of ['m1', 'm2', 'm3']) await publish(deliveries, id, three);
      await start(deliveries, deliveryTo(ref, 'm1'));
      assert.deepEqual((await publish(deliveries, 'm4', three)).expired, []);
      assert.deepEqual((await publish(deliveries, 'm5', three)).expired, [deliveryTo(ref, 'm2')]);
      const expired = await recordOf(deliveries, deliveryTo(ref, 'm2'));
      assert.deepEqual([expired.state, expired.deadReason], ['dead', 'expired']);
      assert.equal(expired.nextAttemptAtMs, null);
      const asked = await deliveries.start(starting(deliveryTo(ref, 'm2')));
      assert.deepEqual(asked, { outcome: 'over' });
      await assertState(deliveries, deliveryTo(ref, 'm1'), 'sending');
      for (const id of ['m3', 'm4', 'm5']) {
        await assertState(deliveries, deliveryTo(ref, id), 'queued');
      }
    },

    'counts what waits for each webhook separately': async ({ webhooks, deliveries }) => {
      await register(webhooks, 'w1');
      await publish(deliveries, 'm1', { maxQueued: 2 });
      await register(webhooks, 'w2');
      await publish(deliveries, 'm2', { maxQueued: 2 });
      const { expired } = await publish(deliveries, 'm3', { maxQueued: 2 });
      assert.deepEqual(expired, [deliveryTo(newWebhook('w1'), 'm1')]);
    },

    'forgets message and deliveries after retentionMs': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      const day = { retentionMs: 86_400_000, idempotencyKey: 'order 17', idempotencyMs: 1000 };
      await publish(deliveries, 'm1', day);
      clock.advance(day.retentionMs - 1);
      await assertState(deliveries, deliveryTo(ref, 'm1'), 'queued');
      clock.advance(2);
      assert.equal(await deliveries.find(deliveryTo(ref, 'm1')), null);
      assert.deepEqual(await deliveries.list(ref, { limit: 10, after: null }), []);
      const asked = await deliveries.start(starting(deliveryTo(ref, 'm1')));
      assert.deepEqual(asked, { outcome: 'over' });
      assert.equal(await deliveries.countPending(), 0);
    },
  },
};
