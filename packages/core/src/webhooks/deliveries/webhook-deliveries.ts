// Not the global one: a test that stops the clock stops that too.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeliveryRef, ListedDelivery } from '../../storage/delivery-record.ts';
import type { DeliveryStore } from '../../storage/delivery-store.ts';
import type { Page } from '../../storage/page.ts';
import type { WebhookRef } from '../../storage/webhook-store.ts';
import type { DeliveryQuotas } from './delivery-quotas.ts';

/** Bounds the time of one transition: more dead deliveries than this take several. */
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
  /** Newest first. */
  list(ref: WebhookRef, page: Page): Promise<readonly ListedDelivery[] | null>;
  /**
   * Sends a delivery again, with the same id and bytes. One that is still on its way is left alone.
   *
   * @throws {AuthError} `too_many_requests`
   */
  resend(ref: DeliveryRef): Promise<boolean>;
  /**
   * Sends all dead deliveries again that were created at or after `sinceMs`; returns how many.
   *
   * @throws {AuthError} `too_many_requests`
   */
  recover(ref: WebhookRef, sinceMs: number): Promise<number | null>;
}

export interface WebhookDeliveriesDeps {
  readonly deliveries: Pick<DeliveryStore, 'list' | 'redeliver' | 'redeliverFailed'>;
  /** Bounded by no quota. */
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
      for (let more = true; more; ) {
        const batch = await deliveries.redeliverFailed(ref, { sinceMs, limit: RECOVER_LIMIT });
        if (batch === null) return null;
        count += batch.count;
        more = batch.more;
        // A store in memory waits for nothing by itself, and a hundred thousand would keep everybody else waiting.
        if (more) await nextTurn();
      }
      return count;
    },
  };
}
