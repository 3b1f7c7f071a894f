import type { WebhookRecord } from '../../storage/webhook-store.ts';
import type { RefusedWebhookFields } from './webhook-fields.ts';

/**
 * A webhook as the host is shown it: without its signing secrets, even sealed ones. Times are of the storage's clock.
 */
export type WebhookInfo = Omit<WebhookRecord, 'secrets' | 'sequence'>;

/** What came of registering a webhook. */
export type NewWebhookOutcome<Webhook = WebhookInfo> =
  | {
      readonly outcome: 'created';
      readonly webhook: Webhook;
      /** The signing secret, shown only this once: `whsec_` and 32 bytes in base64. */
      readonly secret: string;
    }
  /** The account has as many webhooks as `webhooks.maxPerAccount` allows. Nothing was stored. */
  | { readonly outcome: 'limit_reached' }
  | RefusedWebhookFields;

/** What came of changing a webhook. */
export type ChangeWebhookOutcome<Webhook = WebhookInfo> =
  | { readonly outcome: 'changed'; readonly webhook: Webhook }
  /** The account has no such webhook. */
  | { readonly outcome: 'unknown' }
  | RefusedWebhookFields;
