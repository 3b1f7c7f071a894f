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
      await queueForgottenRetry(trial, await register(webhooks, 'w1'));
      clock.advance(WINDOW_MS);
      const { scheduled } = await publish(deliveries, 'm1');
      assert.deepEqual(delaysOf(scheduled), [0]);
    },

    'do not wait for a forgotten retry if they are sent again': async (trial) => {
      const { webhooks, deliveries, clock } = trial;
      const ref = await register(webhooks, 'w1');
      const again = await giveUp(deliveries, ref, 'm1');
      await queueForgottenRetry(trial, ref);
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
      await queueForgottenRetry(trial, ref);
      clock.advance(WINDOW_MS);
      const { scheduled } = found(await deliveries.recover(ref, { sinceMs: 0, limit: 10 }));
      assert.deepEqual(delaysOf(scheduled), [0]);
    },

    'do not wait for a forgotten retry if they are released': async (trial) => {
      const { webhooks, deliveries, clock } = trial;
      const ref = await register(webhooks, 'w1');
      const last = await queue(deliveries, ref, 'm1');
      const started = await start(deliveries, last);
      await queueForgottenRetry(trial, ref);
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
      await queueForgottenRetry(trial, ref);
      clock.advance(WINDOW_MS);
      await start(deliveries, retry);
      clock.advance(WINDOW_MS);
      await start(deliveries, await queue(deliveries, ref, 'm2'));
      clock.advance(WINDOW_MS);
      // A first try started last, so it would be the turn of a retry.
      const { scheduled } = await publish(deliveries, 'm3');
      assert.deepEqual(delaysOf(scheduled), [0]);
    },
  },
};

/** Limits a webhook to one start in a second, for which a retry waits until it is forgotten. */
async function queueForgottenRetry(
  { webhooks, deliveries }: WebhookTrial,
  ref: WebhookRef,
): Promise<void> {
  await publish(deliveries, 'forgotten', { retentionMs: SECOND_MS });
  const retry = deliveryTo(ref, 'forgotten');
  await makeAttempt(deliveries, retry, retryAfter(0));
  await webhooks.change(ref, { rateLimit: 1 });
  assert.equal(deferralOf(await deliveries.start(starting(retry))).reason, 'rate');
}

function delaysOf(scheduled: readonly ScheduledDelivery[]): readonly number[] {
  return scheduled.map(({ delayMs }) => delayMs);
}
