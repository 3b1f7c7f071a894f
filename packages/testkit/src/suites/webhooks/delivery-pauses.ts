import assert from 'node:assert/strict';
import {
  type DeliveryRef,
  type DeliveryStore,
  LONGEST_PAUSE_MS,
  type WebhookRef,
} from '@latchhook/core/storage';
import { deferralOf, finish, giveUp, park, start } from '../../actions/make-attempt.ts';
import { publish, publishMany, queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import {
  DELIVERED,
  POLICY,
  retryAfter,
  SECOND_MS,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const PAUSE_MS = LONGEST_PAUSE_MS;

export const deliveryPauses: Suite<WebhookTrial> = {
  name: 'deliveries: pauses',
  claims: {
    'keep every attempt of their webhook waiting until they are over': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await pause(deliveries, ref, 'm1', PAUSE_MS);
      const waiting = await queue(deliveries, ref, 'm2');
      assertAtItsEnd(await delayOf(deliveries, waiting));
      clock.advance(PAUSE_MS - SECOND_MS);
      assert.ok((await delayOf(deliveries, waiting)) <= SECOND_MS);
      clock.advance(SECOND_MS);
      await start(deliveries, waiting);
    },

    'hold for their webhook alone': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      const other = await register(webhooks, 'w2');
      await pause(deliveries, ref, 'm1', PAUSE_MS);
      await start(deliveries, await queue(deliveries, other, 'm2'));
    },

    'are prolonged by longer ones, and not shortened by others': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      const inFlight = [];
      for (const id of ['m1', 'm2', 'm3']) {
        const delivery = await queue(deliveries, ref, id);
        inFlight.push({ delivery, started: await start(deliveries, delivery) });
      }
      const waiting = await queue(deliveries, ref, 'm4');
      const delays = [];
      for (const [nth, { delivery, started }] of inFlight.entries()) {
        const pauseMs = [PAUSE_MS / 2, PAUSE_MS, 0][nth] ?? 0;
        await finish(deliveries, delivery, started, retryAfter(PAUSE_MS), { pauseMs });
        delays.push(await delayOf(deliveries, waiting));
      }
      const [first = 0, second = 0, third = 0] = delays;
      assert.ok(first > PAUSE_MS / 2 - SECOND_MS && first <= PAUSE_MS / 2);
      for (const delayMs of [second, third]) assertAtItsEnd(delayMs);
    },

    'put off what is published, woken or sent again meanwhile': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      const dead = await giveUp(deliveries, ref, 'dead');
      const room = { maxInFlight: 1 };
      const first = await queue(deliveries, ref, 'm1');
      const started = await start(deliveries, first, room);
      await park(deliveries, await queue(deliveries, ref, 'parked'), room);
      const change = { ...room, pauseMs: PAUSE_MS };
      const { next } = await finish(deliveries, first, started, DELIVERED, change);
      assert.equal(next?.deliveryId, 'parked');
      assertAtItsEnd(next.delayMs);
      const { scheduled } = await publish(deliveries, 'm2');
      assertAtItsEnd(scheduled[0]?.delayMs);
      const resent = await deliveries.resend(dead);
      assert.ok(resent?.outcome === 'scheduled');
      assertAtItsEnd(resent.scheduled.delayMs);
    },

    'let what waits for their end come at the pace of the rate': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 2 });
      await pause(deliveries, ref, 'm0', PAUSE_MS);
      const waiting = await publishMany(deliveries, 6);
      const delays = waiting.map(({ delayMs }) => delayMs);
      assertAtItsEnd(delays[0]);
      for (const [nth, delayMs] of delays.slice(2).entries()) {
        assert.ok(delayMs - (delays[nth] ?? 0) > 0.9 * SECOND_MS);
      }
      // Five are before it, and none is in flight.
      const [last] = waiting.slice(-1);
      assert.ok(last !== undefined);
      const { delayMs } = await park(deliveries, last, { maxInFlight: 1 });
      assert.ok(delayMs > PAUSE_MS + 6 * POLICY.leaseMs - SECOND_MS);
    },

    'end when their webhook is enabled, whether or not it was disabled': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      await pause(deliveries, ref, 'm1', PAUSE_MS);
      await webhooks.enable(ref);
      await start(deliveries, await queue(deliveries, ref, 'm2'));
    },

    'end with another URL, and with no other change': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      await pause(deliveries, ref, 'm1', PAUSE_MS);
      const waiting = await queue(deliveries, ref, 'm2');
      await webhooks.change(ref, { url: ref.url, rateLimit: ref.rateLimit + 1 });
      assertAtItsEnd(await delayOf(deliveries, waiting));
      await webhooks.change(ref, { url: 'https://other.example/' });
      await start(deliveries, waiting);
    },

    'begin by no attempt that started before one was ended': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ends: ((ref: WebhookRef) => Promise<unknown>)[] = [
        (ref) => webhooks.enable(ref),
        (ref) => webhooks.change(ref, { url: 'https://other.example/' }),
      ];
      for (const [nth, end] of ends.entries()) {
        const ref = await register(webhooks, `w${nth}`);
        const late = await queue(deliveries, ref, `late${nth}`);
        const started = await start(deliveries, late);
        clock.advance(SECOND_MS);
        await end(ref);
        await finish(deliveries, late, started, retryAfter(PAUSE_MS), { pauseMs: PAUSE_MS });
        const next = await queue(deliveries, ref, `next${nth}`);
        const { attempt } = await start(deliveries, next);
        await finish(deliveries, next, { attempt }, retryAfter(PAUSE_MS), { pauseMs: PAUSE_MS });
        assertAtItsEnd(await delayOf(deliveries, await queue(deliveries, ref, `last${nth}`)));
      }
    },
  },
};

/** Has the receiver of a webhook ask to be left alone. */
async function pause(
  deliveries: DeliveryStore,
  ref: WebhookRef,
  messageId: string,
  pauseMs: number,
): Promise<void> {
  const delivery = await queue(deliveries, ref, messageId);
  const started = await start(deliveries, delivery);
  await finish(deliveries, delivery, started, retryAfter(pauseMs), { pauseMs });
}

/** Asks for an attempt that only the pause keeps waiting. */
async function delayOf(deliveries: DeliveryStore, delivery: DeliveryRef): Promise<number> {
  const { reason, delayMs } = deferralOf(await deliveries.start(starting(delivery)));
  assert.equal(reason, 'rate');
  return delayMs;
}

function assertAtItsEnd(delayMs: number | undefined): void {
  assert.ok(delayMs !== undefined && delayMs > PAUSE_MS - SECOND_MS);
  // The few that are before it take the rate of a sample webhook less than a ms each.
  assert.ok(delayMs < PAUSE_MS + 10);
}
