import assert from 'node:assert/strict';
import { REWAKE_AFTER_MS } from '@latchhook/core/storage';
import { recordOf } from '../../actions/delivery-records.ts';
import { deferralOf, finish, start } from '../../actions/make-attempt.ts';
import { publish, queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import {
  DELIVERED,
  deliveryTo,
  GONE,
  retryAfter,
  SECOND_MS,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const LEASE_MS = 10_000;
const SHORTEST_WAIT_MS = 20;

export const deliveryInFlight: Suite<WebhookTrial> = {
  name: 'deliveries: attempts in flight',
  claims: {
    'are at most maxInFlight, and the next one has to wait': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2', 'm3', 'm4']) await publish(deliveries, id);
      const three = { maxInFlight: 3, leaseMs: LEASE_MS };
      for (const id of ['m1', 'm2', 'm3']) await start(deliveries, deliveryTo(ref, id), three);
      const last = deliveryTo(ref, 'm4');
      const { reason, delayMs } = deferralOf(await deliveries.start(starting(last, three)));
      assert.equal(reason, 'in_flight');
      assert.ok(delayMs >= SHORTEST_WAIT_MS && delayMs <= LEASE_MS, `${delayMs} ms`);
      await finish(deliveries, deliveryTo(ref, 'm2'), { attempt: 1 }, retryAfter(1000));
      await start(deliveries, last, three);
    },

    'make room when they end, and name the delivery to wake, each once': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2', 'm3', 'm4']) await publish(deliveries, id);
      const two = { maxInFlight: 2, leaseMs: LEASE_MS };
      for (const id of ['m1', 'm2']) await start(deliveries, deliveryTo(ref, id), two);
      for (const id of ['m3', 'm4']) {
        const deferral = deferralOf(await deliveries.start(starting(deliveryTo(ref, id), two)));
        assert.equal(deferral.reason, 'in_flight');
      }
      for (const [ended, next] of [
        ['m1', 'm3'],
        ['m2', 'm4'],
      ] as const) {
        const answer = await finish(
          deliveries,
          deliveryTo(ref, ended),
          { attempt: 1 },
          DELIVERED,
          two,
        );
        assert.deepEqual(answer.next, { ...deliveryTo(ref, next), run: 1, delayMs: 0 });
      }
      for (const id of ['m3', 'm4']) await start(deliveries, deliveryTo(ref, id), two);
      const last = await finish(deliveries, deliveryTo(ref, 'm3'), { attempt: 1 }, DELIVERED, two);
      assert.equal(last.next, null);
    },

    'make room for the first delivery that is not yet forgotten': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const parked = ['m4', 'm5'];
      const forgotten = ['m2', 'm3', ...parked];
      for (const id of ['m1', ...forgotten, 'm6']) {
        await publish(deliveries, id, forgotten.includes(id) ? { retentionMs: SECOND_MS } : {});
      }
      const one = { maxInFlight: 1, leaseMs: LEASE_MS };
      await start(deliveries, deliveryTo(ref, 'm1'), one);
      for (const id of [...parked, 'm6']) {
        await deliveries.start(starting(deliveryTo(ref, id), one));
      }
      clock.advance(SECOND_MS);
      const ended = await finish(deliveries, deliveryTo(ref, 'm1'), { attempt: 1 }, DELIVERED, one);
      assert.deepEqual(ended.next, { ...deliveryTo(ref, 'm6'), run: 1, delayMs: 0 });
      await start(deliveries, deliveryTo(ref, 'm6'), one);
    },

    'make room behind others that are forgotten before they are late': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const retentionMs = REWAKE_AFTER_MS / 2;
      await publish(deliveries, 'm1');
      for (const id of ['m2', 'm3']) await publish(deliveries, id, { retentionMs });
      await publish(deliveries, 'm4');
      const one = { maxInFlight: 1 };
      await start(deliveries, deliveryTo(ref, 'm1'), one);
      const parked = starting(deliveryTo(ref, 'm4'), one);
      assert.equal(deferralOf(await deliveries.start(parked)).reason, 'in_flight');
      clock.advance(retentionMs);
      const ended = await finish(deliveries, deliveryTo(ref, 'm1'), { attempt: 1 }, DELIVERED, one);
      assert.deepEqual(ended.next, { ...deliveryTo(ref, 'm4'), run: 1, delayMs: 0 });
    },

    'wake no delivery that the rate forbids': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
      for (const id of ['m1', 'm2']) await publish(deliveries, id);
      await start(deliveries, deliveryTo(ref, 'm1'));
      clock.advance(60_000);
      const ended = await finish(deliveries, deliveryTo(ref, 'm1'), { attempt: 1 }, DELIVERED);
      assert.equal(ended.next, null);
    },

    'wake no delivery of a disabled webhook': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2']) await publish(deliveries, id);
      const one = { maxInFlight: 1 };
      await start(deliveries, deliveryTo(ref, 'm1'), one);
      await deliveries.start(starting(deliveryTo(ref, 'm2'), one));
      const ended = await finish(deliveries, deliveryTo(ref, 'm1'), { attempt: 1 }, GONE, one);
      assert.equal(ended.next, null);
    },

    'name no delivery without room, however late the next is': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2', 'm3', 'm4']) await publish(deliveries, id);
      const two = { maxInFlight: 2 };
      for (const id of ['m1', 'm2']) await start(deliveries, deliveryTo(ref, id), two);
      for (const id of ['m3', 'm4']) await deliveries.start(starting(deliveryTo(ref, id), two));
      const end = (id: string, room: { readonly maxInFlight: number }) =>
        finish(deliveries, deliveryTo(ref, id), { attempt: 1 }, DELIVERED, room);
      assert.equal((await end('m1', two)).next?.deliveryId, 'm3');
      clock.advance(SECOND_MS);
      assert.equal((await end('m2', { maxInFlight: 0 })).next, null);
    },

    'are counted for each webhook separately': async ({ webhooks, deliveries }) => {
      const refs = [await register(webhooks, 'w1'), await register(webhooks, 'w2')];
      await publish(deliveries, 'm1');
      for (const ref of refs) await start(deliveries, deliveryTo(ref, 'm1'), { maxInFlight: 1 });
    },

    'are at most one per delivery': async ({ webhooks, deliveries, clock }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const leased = { leaseMs: LEASE_MS };
      await start(deliveries, delivery, leased);
      clock.advance(LEASE_MS - 1);
      const deferral = deferralOf(await deliveries.start(starting(delivery, leased)));
      assert.equal(deferral.reason, 'sending');
      assert.equal(deferral.delayMs, 1);
      assert.equal((await recordOf(deliveries, delivery)).state, 'sending');
      await finish(deliveries, delivery, { attempt: 1 }, DELIVERED);
    },
  },
};
