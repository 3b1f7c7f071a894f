import type { EngineCalls } from '../engine/engine-calls.ts';
import { withAccount } from '../engine/webhooks/account-rows.ts';
import { deleteMessageWithLastDelivery } from '../engine/webhooks/publish-message.ts';
import { deliveryIn, rangeOf } from '../engine/webhooks/stored-delivery.ts';
import type { WebhookRef, WebhookStore } from '../webhook-store.ts';

/**
 * Deletes the deliveries of a removed webhook immediately; on other engines they expire. The body of a message is
 * deleted with its last delivery, but its id is kept, so that it still counts as published.
 */
export function deleteDeliveriesOfRemoved(
  webhooks: WebhookStore,
  calls: EngineCalls,
): WebhookStore {
  return {
    ...webhooks,
    async remove(ref) {
      const queueId = await queueOf(calls, ref);
      const wasRemoved = await webhooks.remove(ref);
      if (queueId !== null) await deleteQueue(calls, ref, queueId);
      return wasRemoved;
    },
  };
}

function queueOf(calls: EngineCalls, { accountId, webhookId }: WebhookRef): Promise<string | null> {
  return withAccount(calls, accountId, async (account) => {
    const webhook = await account.webhook(webhookId);
    return webhook?.queueId ?? null;
  });
}

function deleteQueue(
  calls: EngineCalls,
  { accountId }: WebhookRef,
  queueId: string,
): Promise<void> {
  return withAccount(calls, accountId, async (account) => {
    for (const row of await account.rows.range('log', rangeOf(queueId, Number.POSITIVE_INFINITY))) {
      const delivery = deliveryIn(row);
      await account.deleteDelivery(delivery);
      await deleteMessageWithLastDelivery(account.rows, delivery, 'body');
    }
  });
}
