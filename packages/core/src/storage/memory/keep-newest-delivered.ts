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
  /** Oldest first. */
  const delivered = new Set<AttemptEnd>();

  function takeExcess(): AttemptEnd[] {
    const excess: AttemptEnd[] = [];
    for (const oldest of delivered) {
      if (delivered.size <= maxDelivered) break;
      delivered.delete(oldest);
      excess.push(oldest);
    }
    return excess;
  }

  return {
    ...deliveries,
    async complete(ends, limits) {
      const completed = await deliveries.complete(ends, limits);
      for (const [nth, end] of ends.entries()) {
        const isKept = completed[nth]?.outcome === 'completed';
        if (isKept && end.outcome.kind === 'delivered') delivered.add(end);
      }
      for (const end of takeExcess()) {
        await withAccount(calls, end.accountId, (account) => forgetDelivered(account, end));
      }
      return completed;
    },
  };
}

async function forgetDelivered(account: AccountRows, end: AttemptEnd): Promise<void> {
  const webhook = await account.webhook(end.webhookId);
  if (webhook === null) return;
  const delivery = await account.delivery({ ...end, queueId: webhook.queueId });
  // It may have been redelivered since.
  if (delivery === null || delivery.progress.state !== 'delivered') return;
  await account.forget(delivery);
  await forgetMessageOf(account.rows, delivery);
}
