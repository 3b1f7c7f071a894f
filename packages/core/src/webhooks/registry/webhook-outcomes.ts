import type { AccountId } from '../../account-id.ts';
import type { WebhookRecord } from '../../storage/webhook-store.ts';
import type { RejectedWebhookFields } from './webhook-fields.ts';

/**
 * A webhook as it is returned to the host: without its signing secrets, even encrypted ones. Times are of the storage's
 * clock.
 */
export interface WebhookInfo<Id extends AccountId = number>
  extends Omit<WebhookRecord<Id>, 'secrets' | 'sequence'> {
  /** Present if the event is no longer one of the app's events. */
  readonly eventRemoved?: true;
}

/** The outcome of registering a webhook. */
export type NewWebhookOutcome<Webhook = WebhookInfo> =
  | {
      readonly outcome: 'created';
      readonly webhook: Webhook;
      /** The signing secret, shown only this once: `whsec_` and 32 bytes in base64. */
      readonly secret: string;
    }
  /** The account has reached `webhooks.maxPerAccount`. Nothing was stored. */
  | { readonly outcome: 'limit_reached' }
  | RejectedWebhookFields;

/** The outcome of changing a webhook. */
export type ChangeWebhookOutcome<Webhook = WebhookInfo> =
  | { readonly outcome: 'changed'; readonly webhook: Webhook }
  /** The account has no such webhook. */
  | { readonly outcome: 'unknown' }
  | RejectedWebhookFields;
