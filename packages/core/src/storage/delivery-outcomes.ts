import type { DeliveryRef } from './delivery-record.ts';
import type { LinePosition } from './line-position.ts';
import type { DisabledReason, WebhookRecord } from './webhook-store.ts';

/** A delivery that is to start when `delayMs` have passed, for the engine. */
export interface ScheduledDelivery extends DeliveryRef {
  /** From 1; one more each time the delivery is put back to its beginning. Earlier runs are over. */
  readonly run: number;
  /** From the answer on: how far the store's clock and another's differ does not matter. */
  readonly delayMs: number;
}

/** What came of {@link DeliveryStore.publish}. */
export type PublishOutcome =
  | {
      readonly outcome: 'published';
      readonly messageId: string;
      /** How many webhooks it is for, including those for which it is held. */
      readonly deliveries: number;
      /** What the engine is to be handed: all but what is held. */
      readonly scheduled: readonly ScheduledDelivery[];
      /** Deliveries that it has marked dead, as `expired`. */
      readonly expired: readonly DeliveryRef[];
    }
  /**
   * Published before, under this idempotency key or this message id. Nothing changed. `scheduled` has those
   * of its deliveries that never started: the process that published them may have died before the engine
   * had them.
   */
  | {
      readonly outcome: 'duplicate';
      readonly messageId: string;
      readonly deliveries: number;
      readonly scheduled: readonly ScheduledDelivery[];
    }
  /** There is no webhook `webhookId`. */
  | { readonly outcome: 'unknown' };

/**
 * The delivery that the caller must start next, once its delay has passed, which the rate demands. `null`: nothing is
 * parked, or there is no room.
 *
 * It is the first parked delivery, if there is room for it. But if the delivery whose turn it is should have asked
 * `REWAKE_AFTER_MS` ago, it is that one, since it blocks room that the parked ones could use. Whichever it is, it is no
 * longer parked, and is scheduled for the end of its delay.
 */
export type NextDelivery = ScheduledDelivery | null;

/** What came of {@link DeliveryStore.start}. */
export type StartOutcome =
  | {
      readonly outcome: 'started';
      /** The number of the attempt: {@link DeliveryStore.finish} takes no other. */
      readonly attempt: number;
      /** Attempts of this run that count and have ended: 0 at the first. */
      readonly triesBefore: number;
      readonly startedAtMs: number;
      readonly body: string;
      readonly webhook: Pick<WebhookRecord, 'url' | 'secrets'>;
      readonly next: NextDelivery;
    }
  /** Not yet. `reason` is the first of `sending` (another attempt is in flight), `schedule`, `in_flight`, `rate`. */
  | {
      readonly outcome: 'deferred';
      readonly delayMs: number;
      readonly reason: 'rate' | 'in_flight' | 'sending' | 'schedule';
      readonly next: NextDelivery;
    }
  /** The webhook is disabled. The delivery is scheduled when it is enabled again. */
  | { readonly outcome: 'held' }
  /** Every process that tried it died. This call has marked it dead. */
  | { readonly outcome: 'poisoned'; readonly next: NextDelivery }
  /**
   * Delivered, dead, of an earlier run, removed with its webhook, or unknown. `next`: only where this call removed
   * the delivery because its message is lost: who may start in its place.
   */
  | { readonly outcome: 'over'; readonly next?: NextDelivery };

/** What came of {@link DeliveryStore.finish}. */
export type FinishOutcome =
  | {
      readonly outcome: 'finished';
      /** `held` where the webhook is disabled by now, and another attempt was to come. */
      readonly state: 'delivered' | 'waiting' | 'held' | 'dead';
      /** Set where this attempt disabled the webhook. */
      readonly disabled: DisabledReason | null;
      readonly next: NextDelivery;
    }
  /** The attempt already counts as lost, or its end is already known. Nothing changed. */
  | { readonly outcome: 'stale' };

/** What came of {@link DeliveryStore.resend}. */
export type ResendOutcome =
  | { readonly outcome: 'scheduled'; readonly scheduled: ScheduledDelivery }
  /** It is on its way already: queued, sending, or waiting for its turn alone. Nothing changed. */
  | { readonly outcome: 'under_way' }
  | { readonly outcome: 'held' }
  | { readonly outcome: 'unknown' };

/** A delivery of either line that was rescheduled. */
export interface RescheduledDelivery extends ScheduledDelivery {
  /** To be passed as `after`: the list goes on behind this delivery. */
  readonly position: LinePosition;
}

/** A part of the deliveries that a call is about. Call again while there is `more`. */
export interface ScheduledBatch {
  readonly scheduled: readonly ScheduledDelivery[];
  /** How many this call affected: those in `scheduled`, and those that are held instead. */
  readonly count: number;
  readonly more: boolean;
}
