import assert from 'node:assert/strict';
import type {
  DeliveryRef,
  DeliveryStore,
  NewMessage,
  PublishOutcome,
  ScheduledDelivery,
  WebhookRef,
} from '@latchhook/core/storage';
import { deliveryTo, newMessage, SECOND_MS } from '../samples/webhook-samples.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';

/** Publishes a message that was not published before. */
export async function publish(
  deliveries: DeliveryStore,
  messageId: string,
  change: Partial<NewMessage> = {},
): Promise<Extract<PublishOutcome, { readonly outcome: 'published' }>> {
  const answer = await deliveries.publish(newMessage(messageId, change));
  if (answer.outcome === 'published') return answer;
  assert.fail(`expected the message to be published, not ${answer.outcome}`);
}

/** Publishes `count` messages, one after the other, and answers their scheduled deliveries. */
export async function publishMany(
  deliveries: DeliveryStore,
  count: number,
  change: Partial<NewMessage> = {},
): Promise<ScheduledDelivery[]> {
  const scheduled: ScheduledDelivery[] = [];
  for (let nth = 1; nth <= count; nth += 1) {
    scheduled.push(...(await publish(deliveries, `m${nth}`, change)).scheduled);
  }
  return scheduled;
}

/** Publishes many messages, waits until most of them are forgotten, and answers the ids of the others. */
export async function publishAroundForgotten(
  deliveries: DeliveryStore,
  clock: TurnableClock,
): Promise<readonly string[]> {
  const ids = Array.from({ length: 40 }, (_, nth) => `m${nth}`);
  const kept = [...ids.slice(0, 3), ...ids.slice(-3)];
  for (const id of ids) {
    await publish(deliveries, id, kept.includes(id) ? {} : { retentionMs: SECOND_MS });
  }
  clock.advance(SECOND_MS + 1);
  return kept;
}

/** Publishes one message, and answers its delivery to the webhook. */
export async function queue(
  deliveries: DeliveryStore,
  webhook: WebhookRef,
  messageId: string = 'm1',
): Promise<DeliveryRef> {
  await publish(deliveries, messageId, { webhookId: webhook.webhookId });
  return deliveryTo(webhook, messageId);
}
