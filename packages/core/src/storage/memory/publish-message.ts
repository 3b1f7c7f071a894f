import type { PublishOutcome, ScheduledDelivery } from '../delivery-outcomes.ts';
import type { DeliveryRef } from '../delivery-record.ts';
import type { NewMessage } from '../new-message.ts';
import type { Instant } from './instant.ts';
import { lineUp, scheduledIn } from './line-up.ts';
import type { RankedSequence } from './ranked-sequence.ts';
import { StoredDelivery } from './stored-delivery.ts';
import { deliveriesOf } from './stored-message.ts';
import type { StoredWebhook } from './stored-webhook.ts';
import type { WebhookStates } from './webhook-states.ts';

/**
 * Stores a message with its deliveries. Costs O(log n) a delivery, however many wait already.
 *
 * A message without recipients is known only by its idempotency key; without a key, repeating it does no harm.
 */
export function publishMessage(
  states: WebhookStates,
  message: NewMessage,
  now: Instant,
): PublishOutcome {
  const duplicate = findDuplicate(states, message, now);
  if (duplicate !== undefined) return duplicate;
  const webhooks = recipients(states, message);
  if (webhooks === undefined) return { outcome: 'unknown' };

  const { messageId, maxQueued, rateMarginMs } = message;
  states.rememberKey(message, webhooks.length, now);
  const scheduled: ScheduledDelivery[] = [];
  const expired: DeliveryRef[] = [];
  if (webhooks.length > 0) {
    const stored = states.addMessage(message, webhooks.length, now);
    let last: StoredDelivery | undefined;
    for (const webhook of webhooks) {
      webhook.rateMarginMs = rateMarginMs;
      const state = webhook.record.disabledAtMs === null ? 'queued' : 'held';
      const delivery = new StoredDelivery(stored, webhook, states, state);
      if (last === undefined) stored.first = delivery;
      else last.sibling = delivery;
      last = delivery;
      // Held deliveries are bounded as well: while a webhook is disabled, none of them leaves otherwise.
      expireOldest(webhook.byState[state], maxQueued, expired);
      if (state === 'queued') scheduled.push(lineUp(delivery, now));
    }
  }
  return { outcome: 'published', messageId, deliveries: webhooks.length, scheduled, expired };
}

function findDuplicate(
  states: WebhookStates,
  { accountId, messageId, idempotencyKey }: NewMessage,
  { nowMs }: Instant,
): PublishOutcome | undefined {
  const key = idempotencyKey === null ? undefined : states.knownKey(accountId, idempotencyKey);
  const message = states.message(accountId, key?.messageId ?? messageId);
  if (key === undefined && message === undefined) return undefined;
  const scheduled = [...(message === undefined ? [] : deliveriesOf(message))]
    .filter(({ state }) => state === 'queued')
    .map((delivery) => scheduledIn(Math.max(0, delivery.dueAtMs - nowMs), delivery));
  return {
    outcome: 'duplicate',
    messageId: key?.messageId ?? messageId,
    deliveries: key?.deliveries ?? message?.published ?? 0,
    scheduled,
  };
}

/** The webhooks that a message is for; `undefined`: it names one that does not exist. */
function recipients(
  states: WebhookStates,
  { accountId, webhookId, event }: NewMessage,
): readonly StoredWebhook[] | undefined {
  if (webhookId !== null) {
    const webhook = states.webhook({ accountId, webhookId });
    return webhook && [webhook];
  }
  const found: StoredWebhook[] = [];
  for (const webhook of states.webhooks(accountId).values()) {
    if (webhook.record.event === event) found.push(webhook);
  }
  return found;
}

function expireOldest(
  line: RankedSequence<StoredDelivery>,
  maxQueued: number,
  expired: DeliveryRef[],
): void {
  while (line.size > maxQueued) {
    const oldest = line.at(0);
    if (oldest === undefined) return;
    oldest.markDead('expired');
    expired.push(oldest.ref);
  }
}
