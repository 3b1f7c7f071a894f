import assert from 'node:assert/strict';
import type { ScheduledDelivery, WebhookRef } from '@latchhook/core/storage';
import { deferralOf, finish, giveUp, makeAttempt, start } from '../../actions/make-attempt.ts';
import { publish, queue } from '../../actions/publish.ts';
import { found, register } from '../../actions/register-webhook.ts';
import {
  deliveryTo,
  GONE,
  POLICY,
  retryAfter,
  SECOND_MS,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const WINDOW_MS = SECOND_MS + POLICY.rateMarginMs;

/** The time that a delivery is given counts those before it, which the forgotten are not among. */
export const deliveryForgottenTimes: Suite<WebhookTrial> = {
  name: 'deliveries: scheduled behind forgotten ones',
  claims: {
    'do not wait for a forgotten retry if they are published': async (trial) => {
      const { webhooks, deliveries, clock } = trial;
      await queueForgottenRetries(trial, await register(webhooks, 'w1'), 1);
      clock.advance(WINDOW_MS);
      const { scheduled } = await publish(deliveries, 'm1');
      assert.deepEqual(delaysOf(scheduled), [0]);
    },

    'do not wait for a forgotten retry if they are sent again': async (trial) => {
      const { webhooks, deliveries, clock } = trial;
      const ref = await register(webhooks, 'w1');
      const again = await giveUp(deliveries, ref, 'm1');
      await queueForgottenRetries(trial, ref, 1);
      clock.advance(WINDOW_MS);
      const answer = await deliveries.resend(again);
      assert.deepEqual(answer, {
        outcome: 'scheduled',
        scheduled: { ...again, run: 2, delayMs: 0 },
      });
    },

    'do not wait for a forgotten retry if they are recovered': async (trial) => {
      const { webhooks, deliveries, clock } = trial;
      const ref = await register(webhooks, 'w1');
      await giveUp(deliveries, ref, 'm1');
      await queueForgottenRetries(trial, ref, 1);
      clock.advance(WINDOW_MS);
      const { scheduled } = found(await deliveries.recover(ref, { sinceMs: 0, limit: 10 }));
      assert.deepEqual(delaysOf(scheduled), [0]);
    },

    'do not wait for a forgotten retry if they are released': async (trial) => {
      const { webhooks, deliveries, clock } = trial;
      const ref = await register(webhooks, 'w1');
      const last = await queue(deliveries, ref, 'm1');
      const started = await start(deliveries, last);
      await queueForgottenRetries(trial, ref, 1);
      await finish(deliveries, last, started, GONE);
      await publish(deliveries, 'm2');
      await webhooks.enable(ref);
      clock.advance(WINDOW_MS);
      const { scheduled } = found(await deliveries.release(ref, { limit: 10 }));
      assert.deepEqual(delaysOf(scheduled), [0]);
    },

    'do not wait for a forgotten retry that was before one that started': async (trial) => {
      const { webhooks, deliveries, clock } = trial;
      const ref = await register(webhooks, 'w1');
      const retry = await queue(deliveries, ref, 'm1');
      await makeAttempt(deliveries, retry, retryAfter(WINDOW_MS));
      await queueForgottenRetries(trial, ref, 1);
      clock.advance(WINDOW_MS);
      await start(deliveries, retry);
      clock.advance(WINDOW_MS);
      await start(deliveries, await queue(deliveries, ref, 'm2'));
      clock.advance(WINDOW_MS);
      // A first try started last, so it would be the turn of a retry.
      const { scheduled } = await publish(deliveries, 'm3');
      assert.deepEqual(delaysOf(scheduled), [0]);
    },

    'do not wait for any of many forgotten retries that were before one that started': async (
      trial,
    ) => {
      const { webhooks, deliveries, clock } = trial;
      const ref = await register(webhooks, 'w1');
      const retry = await queue(deliveries, ref, 'm1');
      await makeAttempt(deliveries, retry, retryAfter(WINDOW_MS));
      // More than a store forgets at once: some are left when the one behind them has started.
      await queueForgottenRetries(trial, ref, 120);
      clock.advance(WINDOW_MS);
      // It may start whether or not those before it are counted.
      await webhooks.change(ref, { rateLimit: 5_000 });
      await start(deliveries, retry);
      await webhooks.change(ref, { rateLimit: 1 });
      clock.advance(WINDOW_MS);
      await start(deliveries, await queue(deliveries, ref, 'm2'));
      clock.advance(WINDOW_MS);
      const { scheduled } = await publish(deliveries, 'm3');
      assert.deepEqual(delaysOf(scheduled), [0]);
    },
  },
};

/** Limits a webhook to one start in a second, for which `count` retries wait until they are forgotten. */
async function queueForgottenRetries(
  { webhooks, deliveries }: WebhookTrial,
  ref: WebhookRef,
  count: number,
): Promise<void> {
  const retries = Array.from({ length: count }, (_, nth) => deliveryTo(ref, `forgotten${nth}`));
  for (const retry of retries) {
    await publish(deliveries, retry.deliveryId, { retentionMs: SECOND_MS });
    await makeAttempt(deliveries, retry, retryAfter(0));
  }
  await webhooks.change(ref, { rateLimit: 1 });
  for (const retry of retries) {
    // None is parked, however many wait.
    const answer = await deliveries.start(starting(retry, { maxInFlight: count + 1 }));
    assert.equal(deferralOf(answer).reason, 'rate');
  }
}

function delaysOf(scheduled: readonly ScheduledDelivery[]): readonly number[] {
  return scheduled.map(({ delayMs }) => delayMs);
}
