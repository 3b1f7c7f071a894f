import type { AccountRows } from '../engine/webhooks/account-rows.ts';
import { deleteMessageWithLastDelivery } from '../engine/webhooks/publish-message.ts';
import type { StoredWebhook } from '../engine/webhooks/stored-webhook.ts';

/**
 * Deletes all deliveries of a webhook before it is removed; on other engines they expire. The body of a message is
 * deleted with its last delivery, but its id is kept, so that it still counts as published.
 */
export async function deleteDeliveries(
  account: AccountRows,
  { queueId }: StoredWebhook,
): Promise<void> {
  for (const delivery of await account.deliveries('log', queueId, { limit: Infinity })) {
    await account.deleteDelivery(delivery);
    await deleteMessageWithLastDelivery(account.rows, delivery, 'body');
  }
}
