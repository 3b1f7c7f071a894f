import type { AccountId } from '../account-id.ts';

/** An event to publish. It is stored once for all of its deliveries. */
export interface NewMessage {
  readonly accountId: AccountId;
  /** The `webhook-id` of every attempt. */
  readonly messageId: string;
  readonly event: string;
  /** The body of every attempt. */
  readonly body: string;
  /**
   * The only webhook that receives it, regardless of that webhook's event; `null`: all webhooks of the account for the
   * event.
   */
  readonly webhookId: string | null;
  /** Publishing again with the same key within `idempotencyMs` does nothing. */
  readonly idempotencyKey: string | null;
  /** How long the key is stored after publishing, ms. Unused without a key. */
  readonly idempotencyMs: number;
  /**
   * How long the message and its deliveries are kept after publishing, whatever their outcome, ms. A store with little
   * space may delete delivered deliveries earlier, the oldest first, and a message with its last delivery.
   */
  readonly retentionMs: number;
  /**
   * How many deliveries of one webhook may wait for their first attempt; beyond that, the oldest become dead as
   * `expired`.
   */
  readonly maxQueued: number;
}
