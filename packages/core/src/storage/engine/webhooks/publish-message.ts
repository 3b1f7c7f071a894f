import { EXPIRED, UNTRIED } from '../../decisions/end-of-attempt.ts';
import { queueDueBy } from '../../decisions/queue-state.ts';
import { refOf } from '../../decisions/queued-delivery.ts';
import type { DeliveryRef } from '../../delivery-record.ts';
import type { PublishedMessage } from '../../delivery-store.ts';
import type { NewMessage } from '../../new-message.ts';
import { keyOf } from '../engine-calls.ts';
import type { Rows } from '../storage-engine.ts';
import type { AccountRows } from './account-rows.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import { rangeOfEvent, type StoredWebhook } from './stored-webhook.ts';

/**
 * How many deliveries expire in one call at most after `maxQueued` was lowered, over all webhooks of the message: a
 * database may limit the rows that a transaction writes.
 */
const MAX_EXPIRED = 40;
/** How many of each webhook may expire in any case: one more than is enqueued, so that its queue shrinks. */
const MIN_EXPIRED_PER_WEBHOOK = 2;

/** A message, stored once for all of its deliveries. */
export interface StoredMessage {
  readonly body: string;
  readonly createdAtMs: number;
  /** The number of its deliveries. */
  readonly deliveries: number;
}

export function messageKey(messageId: string): string {
  return keyOf('message', messageId);
}

function idempotencyKeyOf(key: string): string {
  return keyOf('idempotency-key', key);
}

/**
 * Stores a message with its deliveries.
 *
 * Of a message without webhooks only the idempotency key is stored. Without a key, publishing it again does no harm.
 */
export async function publishMessage(
  account: AccountRows,
  message: NewMessage,
): Promise<PublishedMessage> {
  const { rows, nowMs } = account;
  const webhooks = await webhooksFor(account, message);
  const [duplicate] = await Promise.all([
    duplicateOf(rows, message),
    // Only reads them together with the message: an engine has to read what it replaces.
    ...(webhooks ?? []).map((webhook) => account.delivery(newDelivery(account, webhook, message))),
  ]);
  if (duplicate !== null) return { outcome: 'duplicate', ...duplicate, expired: [] };
  if (webhooks === null) return { outcome: 'unknown' };
  const { messageId, body, idempotencyKey, idempotencyMs, retentionMs } = message;
  const deliveries = webhooks.length;
  if (idempotencyKey !== null) {
    await rows.put({
      key: idempotencyKeyOf(idempotencyKey),
      value: { messageId, deliveries },
      indexes: {},
      expiresAtMs: nowMs + idempotencyMs,
    });
  }
  const expired: DeliveryRef[] = [];
  if (deliveries > 0) {
    const value: StoredMessage = { body, createdAtMs: nowMs, deliveries };
    const expiresAtMs = nowMs + retentionMs;
    await rows.put({ key: messageKey(messageId), value, indexes: {}, expiresAtMs });
    const limit = Math.max(MIN_EXPIRED_PER_WEBHOOK, Math.floor(MAX_EXPIRED / deliveries));
    for (const webhook of webhooks) {
      const enqueued = await enqueue(account, webhook, message);
      expired.push(...(await expireOldest(account, enqueued, message.maxQueued, limit)));
    }
    await account.save();
  }
  return { outcome: 'published', messageId, deliveries, expired };
}

async function duplicateOf(
  rows: Rows,
  { messageId, idempotencyKey }: NewMessage,
): Promise<{ readonly messageId: string; readonly deliveries: number } | null> {
  const [byKey, byId] = await Promise.all([
    idempotencyKey === null ? null : rows.get(idempotencyKeyOf(idempotencyKey)),
    rows.get(messageKey(messageId)),
  ]);
  if (byKey !== null) return byKey.value as { messageId: string; deliveries: number };
  return byId && { messageId, deliveries: (byId.value as StoredMessage).deliveries };
}

/** The webhooks that receive a message; `null`: the message names a webhook that does not exist. */
async function webhooksFor(
  account: AccountRows,
  { webhookId, event }: NewMessage,
): Promise<readonly StoredWebhook[] | null> {
  if (webhookId === null) return account.webhooks('event', rangeOfEvent(event));
  const webhook = await account.webhook(webhookId);
  return webhook && [webhook];
}

function newDelivery(
  { nowMs }: AccountRows,
  { record, queue, queueId }: StoredWebhook,
  { messageId, event, retentionMs }: NewMessage,
): StoredDelivery {
  return {
    accountId: record.accountId,
    webhookId: record.webhookId,
    deliveryId: messageId,
    queueId,
    event,
    sequence: queue.lastSequence + 1,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + retentionMs,
    progress: UNTRIED,
    wait: { for: 'first_try' },
  };
}

/** Enqueues a delivery. */
async function enqueue(
  account: AccountRows,
  webhook: StoredWebhook,
  message: NewMessage,
): Promise<StoredWebhook> {
  const { nowMs } = account;
  const { record, queue } = webhook;
  const delivery = newDelivery(account, webhook, message);
  await account.putDelivery(delivery);
  const isFirst = queue.lastTaken === queue.lastSequence;
  const enqueued = { ...queue, lastSequence: delivery.sequence };
  return account.putQueue(webhook, isFirst ? queueDueBy(enqueued, record, nowMs) : enqueued);
}

/** Expires the oldest deliveries beyond `maxQueued`, up to `limit` of them, and returns them. */
async function expireOldest(
  account: AccountRows,
  webhook: StoredWebhook,
  maxQueued: number,
  limit: number,
): Promise<readonly DeliveryRef[]> {
  const { queue, queueId } = webhook;
  const maxExcess = queue.lastSequence - queue.lastTaken - maxQueued;
  if (maxExcess <= 0) return [];
  const oldest = await account.deliveries('fresh', queueId, { limit: Math.min(maxExcess, limit) });
  // The oldest is behind many expired deliveries: a later call finds it.
  if (oldest.length === 0 && account.rows.isCut) return [];
  // Deliveries before the oldest have expired with their messages, which `queue.lastTaken` does not show.
  const lastTaken = (oldest[0]?.sequence ?? queue.lastSequence + 1) - 1;
  const excess = Math.max(0, queue.lastSequence - lastTaken - maxQueued);
  const expired = oldest.slice(0, excess);
  for (const delivery of expired) {
    await account.putDelivery({ ...delivery, progress: EXPIRED, wait: null });
  }
  account.putQueue(webhook, { ...queue, lastTaken: expired.at(-1)?.sequence ?? lastTaken });
  return expired.map(refOf);
}
