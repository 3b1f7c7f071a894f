import type { DeliveryState, ListedDelivery } from '../../delivery-record.ts';
import type { Page } from '../../page.ts';
import type { WebhookRecord, WebhookRef } from '../../webhook-store.ts';
import type { AccountRows } from './account-rows.ts';
import { newestFirst, type StoredDelivery } from './stored-delivery.ts';

/** Lists deliveries of a webhook, newest first; `null`: there is no such webhook. */
export async function listDeliveries(
  account: AccountRows,
  { webhookId }: WebhookRef,
  { limit, after }: Page,
): Promise<readonly ListedDelivery[] | null> {
  const webhook = await account.webhook(webhookId);
  if (webhook === null) return null;
  const listed: ListedDelivery[] = [];
  let beforeSequence = after ?? webhook.queue.lastSequence + 1;
  while (listed.length < limit && beforeSequence > 1) {
    const page = { from: newestFirst(beforeSequence - 1), limit };
    const deliveries = await account.deliveries('log', webhook.queueId, page);
    const unexpired = deliveries.filter(({ expiresAtMs }) => account.nowMs < expiresAtMs);
    listed.push(...unexpired.map((delivery) => listedDelivery(delivery, webhook.record)));
    if (deliveries.length < limit) break;
    beforeSequence = deliveries.at(-1)?.sequence ?? 0;
  }
  return listed.slice(0, limit);
}

/** A delivery as it is listed. */
export function listedDelivery(
  delivery: Omit<StoredDelivery, 'queueId'>,
  webhook: WebhookRecord,
): ListedDelivery {
  const { accountId, webhookId, deliveryId, event, sequence, createdAtMs, progress } = delivery;
  const state = stateOf(delivery, webhook);
  const atMs = delivery.wait?.for === 'retry' ? delivery.wait.atMs : null;
  return {
    accountId,
    webhookId,
    deliveryId,
    event,
    sequence,
    state,
    createdAtMs,
    deadReason: progress.reason,
    nextAttemptAtMs: state === 'waiting' ? atMs : null,
    attempts: [...progress.attempts],
  };
}

function stateOf(
  { progress, wait }: Pick<StoredDelivery, 'progress' | 'wait'>,
  { disabledAtMs }: WebhookRecord,
): DeliveryState {
  if (progress.state === 'delivered') return 'delivered';
  if (progress.state === 'failed') return 'dead';
  if (wait?.for === 'end_of_attempt') return 'sending';
  if (disabledAtMs !== null) return 'held';
  return progress.attempt === 0 ? 'queued' : 'waiting';
}
