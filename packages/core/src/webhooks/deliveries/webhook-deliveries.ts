// Imported because the global function stops in tests with a fake clock.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeliveryRef, ListedDelivery } from '../../storage/delivery-record.ts';
import type { DeliveryStore } from '../../storage/delivery-store.ts';
import type { Page } from '../../storage/page.ts';
import type { WebhookRef } from '../../storage/webhook-store.ts';
import type { DeliveryQuotas } from './delivery-quotas.ts';

/** How many dead deliveries one transition redelivers, to limit its duration. */
const RECOVER_LIMIT = 500;

/**
 * The deliveries of webhooks, for the routes and for the host. `null` and `false` mean that the account has no such
 * webhook, or no such delivery.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export interface WebhookDeliveries {
  /**
   * Sends an event of type `Webhook.Ping`; returns the id of its delivery.
   *
   * @throws {AuthError} `too_many_requests`
   */
  ping(ref: WebhookRef): Promise<string | null>;
  /** Lists deliveries, newest first. */
  list(ref: WebhookRef, page: Page): Promise<readonly ListedDelivery[] | null>;
  /**
   * Redelivers a delivery, with the same id and body. Does nothing if it is still queued or in flight.
   *
   * @throws {AuthError} `too_many_requests`
   */
  resend(ref: DeliveryRef): Promise<boolean>;
  /**
   * Redelivers all dead deliveries that were created at or after `sinceMs`; returns their number.
   *
   * @throws {AuthError} `too_many_requests`
   */
  recover(ref: WebhookRef, sinceMs: number): Promise<number | null>;
}

export interface WebhookDeliveriesDeps {
  readonly deliveries: Pick<DeliveryStore, 'list' | 'redeliver' | 'redeliverFailed'>;
  /** Without a quota. */
  readonly sendPing: WebhookDeliveries['ping'];
  readonly quotas: DeliveryQuotas;
}

export function createWebhookDeliveries(deps: WebhookDeliveriesDeps): WebhookDeliveries {
  const { deliveries, sendPing, quotas } = deps;

  return {
    async ping(ref) {
      await quotas.admitPing(ref.accountId);
      return sendPing(ref);
    },

    list: (ref, page) => deliveries.list(ref, page),

    async resend(ref) {
      await quotas.admitResend(ref.accountId);
      const { outcome } = await deliveries.redeliver(ref);
      return outcome !== 'unknown';
    },

    async recover(ref, sinceMs) {
      await quotas.admitResend(ref.accountId);
      let count = 0;
      for (;;) {
        const batch = await deliveries.redeliverFailed(ref, { sinceMs, limit: RECOVER_LIMIT });
        if (batch === null) return null;
        count += batch.count;
        if (!batch.more) return count;
        // A store in memory never waits for I/O, so without this, many batches would block the event loop.
        await nextTurn();
      }
    },
  };
}
