import type { EngineCalls } from '../engine/engine-calls.ts';
import { withAccount } from '../engine/webhooks/account-rows.ts';
import { forgetMessageOf } from '../engine/webhooks/publish-message.ts';
import { deliveryIn, rangeOf } from '../engine/webhooks/stored-delivery.ts';
import type { WebhookRef, WebhookStore } from '../webhook-store.ts';

/**
 * Forgets the deliveries of a removed webhook, which expire on other engines, and the bodies that no other webhook has.
 * The ids of their messages stay known.
 */
export function forgetRemoved(webhooks: WebhookStore, calls: EngineCalls): WebhookStore {
  return {
    ...webhooks,
    async remove(ref) {
      const queueId = await queueOf(calls, ref);
      const wasThere = await webhooks.remove(ref);
      if (queueId !== null) await forgetQueue(calls, ref, queueId);
      return wasThere;
    },
  };
}

function queueOf(calls: EngineCalls, { accountId, webhookId }: WebhookRef): Promise<string | null> {
  return withAccount(calls, accountId, async (account) => {
    const webhook = await account.webhook(webhookId);
    return webhook?.queueId ?? null;
  });
}

function forgetQueue(
  calls: EngineCalls,
  { accountId }: WebhookRef,
  queueId: string,
): Promise<void> {
  return withAccount(calls, accountId, async (account) => {
    for (const row of await account.rows.range('log', rangeOf(queueId, Number.POSITIVE_INFINITY))) {
      const delivery = deliveryIn(row);
      await account.forget(delivery);
      await forgetMessageOf(account.rows, delivery, 'body');
    }
  });
}
