import { UNTRIED } from '../../decisions/end-of-attempt.ts';
import type { DeliveryRef } from '../../delivery-record.ts';
import type { PublishedMessage } from '../../delivery-store.ts';
import type { NewMessage } from '../../new-message.ts';
import type { StoredWebhook } from '../stored-webhook.ts';
import type { WebhookStates } from '../webhook-states.ts';
import type { QueueStates } from './queue-states.ts';
import type { WebhookQueue } from './webhook-queue.ts';

/**
 * Stores a message with its deliveries.
 *
 * A message without webhooks is known only by its idempotency key; without a key, repeating it does no harm.
 */
export function publishMessage(
  queues: QueueStates,
  webhooks: WebhookStates,
  message: NewMessage,
  nowMs: number,
): PublishedMessage {
  const known = duplicateOf(queues, message);
  if (known !== undefined) return { outcome: 'duplicate', ...known, expired: [] };
  const found = webhooksFor(webhooks, message);
  if (found === undefined) return { outcome: 'unknown' };
  const { messageId, maxQueued } = message;
  queues.rememberKey(message, found.length, nowMs);
  const expired: DeliveryRef[] = [];
  if (found.length > 0) {
    const stored = queues.addMessage(message, found.length, nowMs);
    for (const { record } of found) {
      const queue = queues.queue(record);
      queue.append(stored);
      expireOldest(queue, maxQueued, expired);
      if (record.disabledAtMs === null && queue.fresh === 1) queues.dueBy(queue, nowMs);
    }
  }
  return { outcome: 'published', messageId, deliveries: found.length, expired };
}

function duplicateOf(queues: QueueStates, message: NewMessage) {
  const { accountId, messageId } = message;
  const known = queues.publishedUnder(message);
  if (known !== undefined) return known;
  const stored = queues.message(accountId, messageId);
  return stored && { messageId, deliveries: stored.published };
}

/** The webhooks that a message is for; `undefined`: it names one that does not exist. */
function webhooksFor(
  webhooks: WebhookStates,
  { accountId, webhookId, event }: NewMessage,
): readonly StoredWebhook[] | undefined {
  if (webhookId !== null) {
    const webhook = webhooks.webhook({ accountId, webhookId });
    return webhook && [webhook];
  }
  return [...webhooks.webhooks(accountId).values()].filter(({ record }) => record.event === event);
}

function expireOldest(queue: WebhookQueue, maxQueued: number, expired: DeliveryRef[]): void {
  while (queue.fresh > maxQueued) {
    const oldest = queue.takeFresh();
    if (oldest === undefined) return;
    oldest.progress = { ...UNTRIED, state: 'failed', reason: 'expired' };
    expired.push(oldest.ref);
  }
}
