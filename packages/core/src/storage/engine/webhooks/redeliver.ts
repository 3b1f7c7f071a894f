import { startOver } from '../../decisions/end-of-attempt.ts';
import { isAwaitingRetry } from '../../decisions/queued-delivery.ts';
import type { DeliveryRef } from '../../delivery-record.ts';
import type { RedeliverFailedRequest, RedeliverOutcome } from '../../delivery-store.ts';
import type { WebhookRef } from '../../webhook-store.ts';
import { sortKeyOf } from '../engine-calls.ts';
import { readValue } from '../row-values.ts';
import type { AccountRows } from './account-rows.ts';
import { messageKey, type StoredMessage } from './publish-message.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';

/** How many deliveries one transaction redelivers at most: a database may limit the rows that a transaction writes. */
const MAX_REDELIVERED = 60;

/** Redelivers one delivery. */
export async function redeliver(
  account: AccountRows,
  { webhookId, deliveryId }: DeliveryRef,
): Promise<RedeliverOutcome> {
  const webhook = await account.webhook(webhookId);
  const message = await readValue<StoredMessage>(account.rows, messageKey(deliveryId));
  if (webhook === null || message === undefined) return { outcome: 'unknown' };
  const { createdAtMs } = message;
  const { queueId } = webhook;
  const delivery = await account.delivery({ queueId, deliveryId, createdAtMs });
  if (delivery === null) return { outcome: 'unknown' };
  if (delivery.wait !== null && !isAwaitingRetry(delivery, account.nowMs)) {
    return { outcome: 'under_way' };
  }
  await enqueueAgain(account, webhook, delivery);
  await account.save();
  return { outcome: 'due' };
}

/** Redelivers failed deliveries of a webhook; `null`: there is no such webhook. */
export async function redeliverFailed(
  account: AccountRows,
  { webhookId }: WebhookRef,
  { sinceMs, limit }: RedeliverFailedRequest,
): Promise<{ readonly count: number; readonly more: boolean } | null> {
  let webhook = await account.webhook(webhookId);
  if (webhook === null) return null;
  const most = Math.min(limit, MAX_REDELIVERED);
  const page = { from: sortKeyOf(Math.max(0, Math.ceil(sinceMs))), limit: most + 1 };
  const failed = await account.deliveries('failed', webhook.queueId, page);
  const redelivered = failed.slice(0, most);
  for (const delivery of redelivered) webhook = await enqueueAgain(account, webhook, delivery);
  await account.save();
  return {
    count: redelivered.length,
    more: failed.length > redelivered.length || account.rows.isCut,
  };
}

function enqueueAgain(
  account: AccountRows,
  webhook: StoredWebhook,
  delivery: StoredDelivery,
): Promise<StoredWebhook> {
  const progress = startOver(delivery.progress);
  return account.scheduleRetry(webhook, { ...delivery, progress }, account.nowMs);
}
