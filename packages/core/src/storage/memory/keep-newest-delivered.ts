import type { AccountId } from '../../account-id.ts';
import { accountName } from '../../account-name.ts';
import type { DeliveryRef } from '../delivery-record.ts';
import type { AttemptEnd, DeliveryStore } from '../delivery-store.ts';
import type { EngineCalls } from '../engine/engine-calls.ts';
import { type AccountRows, withAccount } from '../engine/webhooks/account-rows.ts';
import { deleteMessageWithLastDelivery } from '../engine/webhooks/publish-message.ts';

/** Deletes the oldest delivered deliveries while there are more of them than `maxDelivered`. */
export function keepNewestDelivered(
  deliveries: DeliveryStore,
  calls: EngineCalls,
  maxDelivered: number,
): DeliveryStore {
  /** By {@link deliveryName}, the oldest first. */
  const delivered = new Map<string, AttemptEnd>();

  /** By account, so that one transaction deletes all of an account. */
  function removeExcess(): ReadonlyMap<AccountId, readonly AttemptEnd[]> {
    const excess = new Map<AccountId, AttemptEnd[]>();
    for (const [name, oldest] of delivered) {
      if (delivered.size <= maxDelivered) break;
      delivered.delete(name);
      const ofAccount = excess.get(oldest.accountId);
      if (ofAccount === undefined) excess.set(oldest.accountId, [oldest]);
      else ofAccount.push(oldest);
    }
    return excess;
  }

  return {
    ...deliveries,
    async complete(ends, limits) {
      const completed = await deliveries.complete(ends, limits);
      for (const [i, end] of ends.entries()) {
        if (completed[i]?.outcome !== 'completed' || end.outcome.kind !== 'delivered') continue;
        const name = deliveryName(end);
        // A delivery that was redelivered is the newest now.
        delivered.delete(name);
        delivered.set(name, end);
      }
      for (const [accountId, excess] of removeExcess()) {
        await withAccount(calls, accountId, async (account) => {
          for (const end of excess) await deleteDelivered(account, end);
        });
      }
      return completed;
    },
  };
}

function deliveryName({ accountId, webhookId, deliveryId }: DeliveryRef): string {
  return `${accountName(accountId)}/${webhookId}/${deliveryId}`;
}

async function deleteDelivered(account: AccountRows, end: AttemptEnd): Promise<void> {
  const webhook = await account.webhook(end.webhookId);
  if (webhook === null) return;
  const delivery = await account.delivery({ ...end, queueId: webhook.queueId });
  // The delivery may have been redelivered since then.
  if (delivery === null || delivery.progress.state !== 'delivered') return;
  await account.deleteDelivery(delivery);
  await deleteMessageWithLastDelivery(account.rows, delivery, 'all');
}
