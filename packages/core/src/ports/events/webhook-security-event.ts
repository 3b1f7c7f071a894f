import type { AccountId } from '../../account-id.ts';
import type { ClientInfo } from '../../client-info/client-info.ts';
import type { DeadReason } from '../../storage/delivery-record.ts';
import type { DisabledReason, WebhookRef, WebhookSettings } from '../../storage/webhook-store.ts';

/** Who changed a webhook: a user of its account, or the host, by a call of `auth.webhooks`. */
export type WebhookActor =
  | { readonly actor: 'user'; readonly userId: string }
  | { readonly actor: 'host'; readonly userId: null };

/**
 * Events of webhooks, and of deliveries that never arrive. No event has the URL, which may contain a secret of its
 * receiver.
 */
export type WebhookSecurityEvent<Id extends AccountId = AccountId> =
  /** A webhook was registered, removed, given a new secret, or enabled again. */
  | (ClientInfo &
      WebhookActor &
      WebhookRef<Id> & {
        readonly type:
          | 'webhook.created'
          | 'webhook.removed'
          | 'webhook.secret_rotated'
          | 'webhook.enabled';
      })
  /** The settings of a webhook were changed. */
  | (ClientInfo &
      WebhookActor &
      WebhookRef<Id> & {
        readonly type: 'webhook.changed';
        /** The settings that the request named. */
        readonly fields: readonly (keyof WebhookSettings)[];
      })
  /** Its receiver answered 410, or all requests failed for days. Deliveries are paused until it is enabled. */
  | (WebhookRef<Id> & { readonly type: 'webhook.disabled'; readonly reason: DisabledReason })
  /** A delivery has been given up. */
  | (WebhookRef<Id> & {
      readonly type: 'delivery.dead';
      readonly deliveryId: string;
      /**
       * `exhausted`: all tries have failed; `gone`: the receiver answered 410; `expired`: it was the oldest of too many
       * that waited; `poison`: several processes died while they tried it.
       */
      readonly reason: DeadReason;
    });
