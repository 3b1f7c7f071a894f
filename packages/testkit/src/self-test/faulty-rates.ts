import type { DeliveryStore } from '@latchhook/core/storage';
import type { WebhookHarness } from '../trials/webhook-trial.ts';
import { deliveriesThat, storesThat } from './faulty-webhooks.ts';

/** Answers other delays than the reference does. */
export function delaysThat(change: (delayMs: number) => number): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    publish: withOtherDelays(deliveries.publish, change),
    start: async (request) => {
      const answer = await deliveries.start(request);
      if (answer.outcome !== 'deferred') return answer;
      return { ...answer, delayMs: change(answer.delayMs) };
    },
  }));
}

/** Publishes correctly, but answers other delays. */
export function withOtherDelays(
  publish: DeliveryStore['publish'],
  change: (delayMs: number) => number,
): DeliveryStore['publish'] {
  return async (message) => {
    const answer = await publish(message);
    if (!('scheduled' in answer)) return answer;
    const scheduled = answer.scheduled.map((delivery) => ({
      ...delivery,
      delayMs: change(delivery.delayMs),
    }));
    return { ...answer, scheduled };
  };
}

/** Registers webhooks with another rate than was asked for, and keeps to it. */
export function ratesThat(change: (rateLimit: number) => number): WebhookHarness {
  return storesThat(({ webhooks, deliveries }) => ({
    deliveries,
    webhooks: {
      ...webhooks,
      create: (webhook, limits) =>
        webhooks.create({ ...webhook, rateLimit: change(webhook.rateLimit) }, limits),
      change: (ref, { rateLimit, ...change }) => webhooks.change(ref, change),
    },
  }));
}
