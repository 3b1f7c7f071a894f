import assert from 'node:assert/strict';
import { REWAKE_AFTER_MS } from '@latchhook/core/storage';
import type { Suite } from '../../suite.ts';
import {
  attempt,
  deferralOf,
  finish,
  publish,
  queue,
  recordOf,
  register,
  start,
} from '../../webhook-actions.ts';
import {
  DELIVERED,
  deliveryTo,
  finishing,
  GONE,
  POLICY,
  retryAfter,
  SECOND_MS,
  starting,
} from '../../webhook-samples.ts';
import type { WebhookTrial } from '../../webhook-trial.ts';

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
      const { by, delayMs } = deferralOf(await deliveries.start(starting(last, three)));
      assert.equal(by, 'in_flight');
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
        assert.equal(deferral.by, 'in_flight');
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
      assert.equal(deferralOf(await deliveries.start(parked)).by, 'in_flight');
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
      assert.equal(deferral.by, 'sending');
      assert.equal(deferral.delayMs, 1);
      assert.equal((await recordOf(deliveries, delivery)).state, 'sending');
      await finish(deliveries, delivery, { attempt: 1 }, DELIVERED);
    },

    'are lost when their lease is over, which costs no try': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      await attempt(deliveries, delivery, retryAfter(0));
      const lost = await start(deliveries, delivery, { leaseMs: LEASE_MS });
      clock.advance(LEASE_MS);
      const next = await start(deliveries, delivery);
      assert.deepEqual([next.attempt, next.triesBefore], [3, lost.triesBefore]);
      const { attempts } = await recordOf(deliveries, delivery);
      assert.equal(attempts.length, 2);
      const { durationMs, ...logged } = attempts[1] ?? assert.fail('the lost one is not logged');
      assert.ok(durationMs >= 0);
      assert.deepEqual(logged, {
        attempt: 2,
        startedAtMs: lost.startedAtMs,
        status: null,
        error: 'lost',
        response: null,
      });
    },

    'cannot be ended once they were lost, and another has begun': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const lost = await start(deliveries, delivery, { leaseMs: LEASE_MS });
      clock.advance(LEASE_MS);
      const next = await start(deliveries, delivery);
      const late = finishing(delivery, lost.attempt, DELIVERED);
      assert.deepEqual(await deliveries.finish(late), { outcome: 'stale' });
      assert.equal((await recordOf(deliveries, delivery)).state, 'sending');
      await finish(deliveries, delivery, next, DELIVERED);
    },

    'take no room once they are lost': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2']) await publish(deliveries, id);
      const one = { maxInFlight: 1, leaseMs: LEASE_MS };
      await start(deliveries, deliveryTo(ref, 'm1'), one);
      clock.advance(LEASE_MS - 1);
      const next = starting(deliveryTo(ref, 'm2'), one);
      assert.equal(deferralOf(await deliveries.start(next)).by, 'in_flight');
      clock.advance(1);
      await start(deliveries, deliveryTo(ref, 'm2'), one);
    },

    'count towards the rate even if they are lost': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
      const delivery = await queue(deliveries, ref);
      await start(deliveries, delivery, { leaseMs: LEASE_MS });
      clock.advance(LEASE_MS);
      assert.equal(deferralOf(await deliveries.start(starting(delivery))).by, 'rate');
      clock.advance(60_000 + POLICY.rateMarginMs - LEASE_MS);
      assert.equal((await start(deliveries, delivery)).attempt, 2);
    },

    'kill a delivery as poison once maxLostAttempts were lost': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const poison = await queue(deliveries, ref, 'm1');
      const other = await queue(deliveries, ref, 'm2');
      const limits = { leaseMs: LEASE_MS, maxLostAttempts: 3 };
      for (let nth = 1; nth <= 3; nth += 1) {
        assert.equal((await start(deliveries, poison, limits)).attempt, nth);
        clock.advance(LEASE_MS);
      }
      const asked = await deliveries.start(starting(poison, limits));
      assert.deepEqual(asked, { outcome: 'poisoned', next: null });
      const { state, deadReason, attempts } = await recordOf(deliveries, poison);
      assert.deepEqual([state, deadReason, attempts.length], ['dead', 'poison', 3]);
      const again = await deliveries.start(starting(poison, limits));
      assert.deepEqual(again, { outcome: 'over' });
      await start(deliveries, other);
    },

    'are lost once, even if the rate makes the next one wait': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
      const delivery = await queue(deliveries, ref);
      const limits = { leaseMs: LEASE_MS, maxLostAttempts: 2 };
      await start(deliveries, delivery, limits);
      clock.advance(LEASE_MS);
      for (let nth = 0; nth < 3; nth += 1) {
        assert.equal(deferralOf(await deliveries.start(starting(delivery, limits))).by, 'rate');
        const { state, attempts } = await recordOf(deliveries, delivery);
        assert.deepEqual([state, attempts.length], ['waiting', 1]);
      }
      clock.advance(60_000 + POLICY.rateMarginMs);
      assert.equal((await start(deliveries, delivery, limits)).attempt, 2);
    },

    'no longer count as lost once the delivery is sent again': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const limits = { leaseMs: LEASE_MS, maxLostAttempts: 2 };
      for (let nth = 0; nth < 2; nth += 1) {
        await start(deliveries, delivery, limits);
        clock.advance(LEASE_MS);
      }
      await deliveries.start(starting(delivery, limits));
      assert.equal((await deliveries.resend(delivery)).outcome, 'scheduled');
      const again = { ...delivery, run: 2 };
      await start(deliveries, again, limits);
      clock.advance(LEASE_MS);
      await start(deliveries, again, limits);
    },
  },
};
