import type { AccountId } from '../account-id.ts';
import type { ListedAttempt } from './attempt-record.ts';
import type { WebhookRef } from './webhook-store.ts';

/** Names one delivery: a message on its way to one webhook. All deliveries of a message have the id of the message. */
export interface DeliveryRef<Id extends AccountId = AccountId> extends WebhookRef<Id> {
  readonly deliveryId: string;
}

/** All states of a delivery. */
export const DELIVERY_STATES = [
  'queued',
  'sending',
  'waiting',
  'held',
  'delivered',
  'dead',
] as const;

/**
 * The state of a delivery. `queued`: it waits for its first attempt. `sending`: an attempt is in flight. `waiting`: it
 * waits for a retry. `held`: its webhook is disabled. `delivered` and `dead` are final, unless it is redelivered.
 */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** All reasons for which a delivery is dead. */
export const DEAD_REASONS = ['exhausted', 'gone', 'expired', 'poison'] as const;

/**
 * Why a delivery is dead. `exhausted`: no attempt is left. `gone`: the receiver responded 410. `expired`: too many
 * newer deliveries were waiting. `poison`: several workers in a row did not complete its attempt.
 */
export type DeadReason = (typeof DEAD_REASONS)[number];

/** A delivery in a list. Times are of the store's clock. JSON-safe. */
export interface ListedDelivery<Id extends AccountId = AccountId> extends DeliveryRef<Id> {
  readonly event: string;
  /** Grows with every delivery of the webhook, in the order of publishing. */
  readonly sequence: number;
  readonly state: DeliveryState;
  readonly deadReason: DeadReason | null;
  readonly createdAtMs: number;
  /**
   * When the next attempt of a `waiting` delivery is due, unless it is redelivered before. `null` in every other state,
   * and for a returned delivery, which is due immediately.
   */
  readonly nextAttemptAtMs: number | null;
  /** The last `ATTEMPTS_KEPT` attempts that have ended, oldest first. */
  readonly attempts: readonly ListedAttempt[];
}
