import { listedDelivery } from '../../decisions/queued-delivery.ts';
import type { ListedDelivery } from '../../delivery-record.ts';
import type { Page } from '../../page.ts';
import type { WebhookRef } from '../../webhook-store.ts';
import type { AccountRows } from './account-rows.ts';
import { newestFirst } from './stored-delivery.ts';

/** Lists deliveries of a webhook, newest first; `null`: there is no such webhook. */
export async function listDeliveries(
  account: AccountRows,
  { webhookId }: WebhookRef,
  { limit, after }: Page,
): Promise<readonly ListedDelivery[] | null> {
  const webhook = await account.webhook(webhookId);
  if (webhook === null) return null;
  const isDisabled = webhook.record.disabledAtMs !== null;
  const listed: ListedDelivery[] = [];
  let beforeSequence = after ?? webhook.queue.lastSequence + 1;
  while (listed.length < limit && beforeSequence > 1) {
    const page = { from: newestFirst(beforeSequence - 1), limit };
    const deliveries = await account.deliveries('log', webhook.queueId, page);
    const unexpired = deliveries.filter(({ expiresAtMs }) => account.nowMs < expiresAtMs);
    listed.push(...unexpired.map((delivery) => listedDelivery(delivery, isDisabled)));
    if (deliveries.length < limit) break;
    beforeSequence = deliveries.at(-1)?.sequence ?? 0;
  }
  return listed.slice(0, limit);
}
