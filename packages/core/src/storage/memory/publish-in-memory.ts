import { EXPIRED, UNTRIED } from '../decisions/end-of-attempt.ts';
import { queueDueBy } from '../decisions/queue-state.ts';
import { refOf } from '../decisions/queued-delivery.ts';
import type { DeliveryRef } from '../delivery-record.ts';
import type { PublishedMessage } from '../delivery-store.ts';
import type { NewMessage } from '../new-message.ts';
import type { MemoryQueues } from './memory-queues.ts';
import type { MemoryAccount, MemoryMessage, MemoryWebhook } from './memory-records.ts';

const FIRST_TRY = { for: 'first_try' } as const;

/** Stores a message with its deliveries. `isDue`: an attempt of one of them can start now. */
export function publishInMemory(
  queues: MemoryQueues,
  message: NewMessage,
  nowMs: number,
): { readonly published: PublishedMessage; readonly isDue: boolean } {
  const { accountId, messageId, idempotencyKey } = message;
  const account = queues.accounts.find(accountId);
  const former =
    (idempotencyKey === null ? undefined : account?.published.get(idempotencyKey)) ??
    account?.messages.get(messageId);
  if (former !== undefined) {
    const { messageId: formerId, deliveryCount: deliveries } = former;
    const published = {
      outcome: 'duplicate',
      messageId: formerId,
      deliveries,
      expired: [],
    } as const;
    return { published, isDue: false };
  }
  const webhooks = account === undefined ? [] : webhooksFor(account, message);
  if (message.webhookId !== null && webhooks.length === 0)
    return { published: { outcome: 'unknown' }, isDue: false };
  const deliveries = webhooks.length;
  if (idempotencyKey !== null) {
    queues.addKey({
      account: queues.accounts.open(accountId),
      key: idempotencyKey,
      messageId,
      deliveryCount: deliveries,
      sortKey: nowMs + message.idempotencyMs,
      tieBreaker: queues.nextTieBreaker(),
    });
  }
  const expired: DeliveryRef[] = [];
  let isDue = false;
  // Without a key, publishing a message without webhooks again does no harm, so nothing of it is stored.
  if (account !== undefined && deliveries > 0) {
    const stored = addMessage(queues, account, message, deliveries, nowMs);
    for (const webhook of webhooks) {
      enqueue(queues, webhook, stored, message.event, nowMs);
      expireOldest(queues, webhook, message.maxQueued, expired);
      const { dueAtMs } = webhook.queue;
      // At a limit a claim would return nothing. The completion of the attempt that has reached the limit notifies.
      isDue ||= dueAtMs !== null && dueAtMs <= nowMs && !account.isCapped;
    }
  }
  return { published: { outcome: 'published', messageId, deliveries, expired }, isDue };
}

/** The webhooks that receive a message; none if it names a webhook that does not exist. */
function webhooksFor(
  { webhooks }: MemoryAccount,
  { webhookId, event }: NewMessage,
): readonly MemoryWebhook[] {
  const receiving: MemoryWebhook[] = [];
  for (const webhook of webhooks.values()) {
    const { record } = webhook;
    if (webhookId === null ? record.event === event : record.webhookId === webhookId)
      receiving.push(webhook);
  }
  return receiving;
}

function addMessage(
  queues: MemoryQueues,
  account: MemoryAccount,
  { messageId, body, retentionMs }: NewMessage,
  deliveryCount: number,
  nowMs: number,
): MemoryMessage {
  const message = {
    account,
    messageId,
    body,
    createdAtMs: nowMs,
    deliveryCount,
    deliveries: new Map(),
    sortKey: nowMs + retentionMs,
    tieBreaker: queues.nextTieBreaker(),
  };
  queues.addMessage(message);
  return message;
}

function enqueue(
  queues: MemoryQueues,
  webhook: MemoryWebhook,
  message: MemoryMessage,
  event: string,
  nowMs: number,
): void {
  const { record, queue } = webhook;
  const sequence = queue.lastSequence + 1;
  const delivery = {
    accountId: record.accountId,
    webhookId: record.webhookId,
    deliveryId: message.messageId,
    webhook,
    message,
    event,
    sequence,
    createdAtMs: message.createdAtMs,
    expiresAtMs: message.sortKey,
    progress: UNTRIED,
    wait: FIRST_TRY,
    sortKey: -sequence,
    tieBreaker: queues.nextTieBreaker(),
    entry: null,
    forgetDelivered: null,
  };
  queues.addDelivery(delivery);
  const wasEmpty = queue.lastTaken === queue.lastSequence;
  const enqueued = { ...queue, lastSequence: sequence };
  queues.setQueue(webhook, wasEmpty ? queueDueBy(enqueued, record, nowMs) : enqueued);
}

/** Expires the oldest deliveries beyond `maxQueued`, and adds them to `expired`. */
function expireOldest(
  queues: MemoryQueues,
  webhook: MemoryWebhook,
  maxQueued: number,
  expired: DeliveryRef[],
): void {
  const { lastSequence, lastTaken } = webhook.queue;
  if (lastSequence - lastTaken <= maxQueued) return;
  for (let sequence = lastTaken + 1; sequence <= lastSequence - maxQueued; sequence += 1) {
    const delivery = webhook.bySequence.get(sequence);
    // It has expired with its message.
    if (delivery === undefined) continue;
    queues.end(delivery, EXPIRED);
    expired.push(refOf(delivery));
  }
  queues.setLastTaken(webhook, lastSequence - maxQueued);
}
