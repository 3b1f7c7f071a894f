import { accountName } from '../../account-id.ts';
import type { DeliveryRef } from '../delivery-record.ts';
import type { AttemptEnd, DeliveryStore } from '../delivery-store.ts';
import type { EngineCalls } from '../engine/engine-calls.ts';
import { type AccountRows, withAccount } from '../engine/webhooks/account-rows.ts';
import { forgetMessageOf } from '../engine/webhooks/publish-message.ts';

/** Deletes the oldest delivered deliveries while there are more of them than `maxDelivered`. */
export function keepNewestDelivered(
  deliveries: DeliveryStore,
  calls: EngineCalls,
  maxDelivered: number,
): DeliveryStore {
  /** By {@link nameOf}, the oldest first. */
  const delivered = new Map<string, AttemptEnd>();

  function takeExcess(): AttemptEnd[] {
    const excess: AttemptEnd[] = [];
    for (const [name, oldest] of delivered) {
      if (delivered.size <= maxDelivered) break;
      delivered.delete(name);
      excess.push(oldest);
    }
    return excess;
  }

  return {
    ...deliveries,
    async complete(ends, limits) {
      const completed = await deliveries.complete(ends, limits);
      for (const [i, end] of ends.entries()) {
        if (completed[i]?.outcome !== 'completed' || end.outcome.kind !== 'delivered') continue;
        const name = nameOf(end);
        // One that was sent again is the newest now.
        delivered.delete(name);
        delivered.set(name, end);
      }
      for (const end of takeExcess()) {
        await withAccount(calls, end.accountId, (account) => forgetDelivered(account, end));
      }
      return completed;
    },
  };
}

function nameOf({ accountId, webhookId, deliveryId }: DeliveryRef): string {
  return `${accountName(accountId)}/${webhookId}/${deliveryId}`;
}

async function forgetDelivered(account: AccountRows, end: AttemptEnd): Promise<void> {
  const webhook = await account.webhook(end.webhookId);
  if (webhook === null) return;
  const delivery = await account.delivery({ ...end, queueId: webhook.queueId });
  // It may have been redelivered since.
  if (delivery === null || delivery.progress.state !== 'delivered') return;
  await account.forget(delivery);
  await forgetMessageOf(account.rows, delivery, 'all');
}
