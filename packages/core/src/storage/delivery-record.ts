import type { AccountId } from '../account-id.ts';
import type { ListedAttempt } from './attempt-record.ts';
import type { WebhookRef } from './webhook-store.ts';

/** Names one delivery: a message on its way to one webhook. The message's id is that of all its deliveries. */
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
 * The state of a delivery. `queued`: never tried yet. `sending`: an attempt is in flight. `waiting`: for the next
 * attempt. `held`: its webhook is disabled. `delivered` and `dead` are final, unless it is sent again.
 */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** All reasons for which a delivery is given up. */
export const DEAD_REASONS = ['exhausted', 'gone', 'expired', 'poison'] as const;

/**
 * Why a delivery was given up. `exhausted`: no attempt is left. `gone`: the receiver said 410. `expired`: too
 * many newer ones were waiting. `poison`: every process that tried it died.
 */
export type DeadReason = (typeof DEAD_REASONS)[number];

/** A delivery as lists show it. Times are of the store's clock. JSON-safe. */
export interface ListedDelivery<Id extends AccountId = AccountId> extends DeliveryRef<Id> {
  readonly event: string;
  /** Grows with every delivery of the webhook, in the order of publishing. */
  readonly sequence: number;
  readonly state: DeliveryState;
  readonly deadReason: DeadReason | null;
  readonly createdAtMs: number;
  /** The next one may be made sooner. `null` where none is to come, or it is not known when: held, delivered, dead. */
  readonly nextAttemptAtMs: number | null;
  /** Attempts that have ended: the newest `ATTEMPTS_KEPT`, oldest first. */
  readonly attempts: readonly ListedAttempt[];
}
