import type { AccountId } from '../account-id.ts';
/** An event about to be stored, once for all of its deliveries. */
export interface NewMessage {
  readonly accountId: AccountId;
  /** `webhook-id` of every attempt. */
  readonly messageId: string;
  readonly event: string;
  /** The bytes of every attempt, as text. */
  readonly body: string;
  /** The one webhook that it is for, whatever its event; `null`: the account's webhooks for that event. */
  readonly webhookId: string | null;
  /** Publishing again under the same key within `idempotencyMs` publishes nothing. */
  readonly idempotencyKey: string | null;
  /** How long the key is remembered after publishing, ms. Means nothing without a key. */
  readonly idempotencyMs: number;
  /**
   * How long message and deliveries are kept after publishing, whatever became of them, ms. A store whose room is
   * scarce may forget sooner what was delivered, the oldest first, and a message with the last of its deliveries.
   */
  readonly retentionMs: number;
  /**
   * Deliveries of one webhook that may wait for their first try; beyond that, the oldest are given up as `expired`.
   */
  readonly maxQueued: number;
}
