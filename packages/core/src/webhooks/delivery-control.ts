import type { DeliveryRecord, DeliveryRef } from '../storage/delivery-store.ts';
import type { Page, WebhookRef } from '../storage/webhook-store.ts';

/**
 * The deliveries of webhooks, for the routes.
 *
 * @throws {AuthError} `not_found` for a webhook or delivery that the account has not, `temporarily_unavailable`
 */
export interface DeliveryControl {
  /** Sends an event of type `Webhook.Ping`; answers the id of its delivery. */
  ping(ref: WebhookRef): Promise<string>;
  /** Newest first. */
  list(ref: WebhookRef, page: Page): Promise<readonly DeliveryRecord[]>;
  /** Sends a delivery again, with the same id and bytes. One that is on its way anyway is left alone. */
  resend(ref: DeliveryRef): Promise<void>;
  /** Sends all dead deliveries again that were created at or after `sinceMs`; answers how many. */
  recover(ref: WebhookRef, sinceMs: number): Promise<number>;
}
