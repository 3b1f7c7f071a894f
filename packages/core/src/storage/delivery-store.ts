import type { AttemptResult } from './attempt-record.ts';
import type { DeadReason, DeliveryRef, ListedDelivery } from './delivery-record.ts';
import type { NewMessage } from './new-message.ts';
import type { Outbox } from './outbox.ts';
import type { Page } from './page.ts';
import type { DisabledReason, WebhookRecord, WebhookRef } from './webhook-store.ts';

/**
 * Deliveries as one queue for each webhook: workers claim attempts that may start now, send them, and complete them.
 *
 * Atomicity: `publish`, and whatever changes one delivery, is one transition; a store that spreads accounts over
 * several places may do the rest place by place. Concurrency: any number of processes. Times are the store's own; where
 * its clock is set back, retries may wait for longer by as much, and nothing else does.
 *
 * The rate: of the attempts of one webhook at most `rateLimit` begin in any window of `rateLimitPeriod`, by the limit
 * that holds as they are claimed, if each begins within the `rateMarginMs` of its claim.
 *
 * Order: first tries by time of publishing, retries by due time; claims alternate between the two while both have
 * something. What was claimed and not started comes before both. Of the webhooks that wait for room within a limit of
 * attempts in flight, the one that has waited longest is next.
 *
 * Leases: a claimed attempt belongs to its worker for `leaseMs`. One that was not completed by then counts as lost, and
 * its delivery is claimed again.
 */
export interface DeliveryStore {
  /**
   * Stores a message and its deliveries: all of them, or nothing. What exceeds `maxQueued` expires, the oldest first:
   * where that was lowered, by several calls.
   *
   * Idempotency: by the message's id until it expires, and by its key for `idempotencyMs`, even where its webhooks have
   * been removed since.
   */
  publish(message: NewMessage): Promise<PublishedMessage>;

  /** Leases attempts that may start now to the caller, from the webhooks that have waited longest. */
  claim(request: ClaimRequest): Promise<Claim>;

  /**
   * Ends attempts. Each is fenced by its number and `claimedAtMs`: `stale` where its lease went to another. In the
   * order of `ends`. Rejects where none of them could be completed.
   */
  complete(
    ends: readonly AttemptEnd[],
    limits: CompleteLimits,
  ): Promise<readonly CompletedAttempt[]>;

  /**
   * Sends one delivery again: same id, same bytes, all tries. It is due at once; of a disabled webhook, once that is
   * enabled.
   */
  redeliver(ref: DeliveryRef): Promise<RedeliverOutcome>;

  /**
   * Sends failed deliveries again that were published at or after `sinceMs`, the oldest first, up to `limit` of them.
   * Returns how many that were, and whether there are more; `null`: no such webhook.
   */
  redeliverFailed(
    ref: WebhookRef,
    request: RedeliverFailedRequest,
  ): Promise<{ readonly count: number; readonly more: boolean } | null>;

  /**
   * Newest first; `page.after` is the sequence of the last one seen. `null`: no such webhook. The page is not atomic:
   * each delivery is as it was read.
   */
  list(ref: WebhookRef, page: Page): Promise<readonly ListedDelivery[] | null>;

  /** How much waits. */
  stats(): Promise<QueueStats>;

  /**
   * Calls back when something may have become due, by any process. It may call needlessly, and may miss something:
   * claim from time to time all the same. Never throws.
   *
   * @returns a function that ends it
   */
  subscribe?(onDue: () => void): () => Promise<void>;

  /** Of a store that shares the host's database. */
  readonly outbox?: Outbox;
}

/** What came of {@link DeliveryStore.redeliver}. */
export type RedeliverOutcome =
  | { readonly outcome: 'due' }
  /** It waits for its first try or is in flight, or its retry is due already. Nothing changed. */
  | { readonly outcome: 'under_way' }
  | { readonly outcome: 'unknown' };

/** Which failed deliveries of a webhook to send again. */
export interface RedeliverFailedRequest {
  /** Those that were published at this time or after it, ms since 1970. */
  readonly sinceMs: number;
  /** How many at most: from 1. */
  readonly limit: number;
}

/** How much waits. */
export interface QueueStats {
  /** Deliveries of enabled webhooks that wait for a try, some that have expired among them, and all in flight. */
  readonly pending: number;
  /** How long the webhook has waited that waits longest of those that may start something, ms; 0: none may. */
  readonly oldestDueAgeMs: number;
}

/** What came of {@link DeliveryStore.publish}. */
export type PublishedMessage =
  | {
      /** `duplicate`: published before, under this id or this key. Nothing changed. */
      readonly outcome: 'published' | 'duplicate';
      /** Of the message that was published first. */
      readonly messageId: string;
      /** How many webhooks it is for, disabled ones too. */
      readonly deliveries: number;
      /** Deliveries that this call has given up as `expired`. */
      readonly expired: readonly DeliveryRef[];
    }
  /** There is no webhook `webhookId`. */
  | { readonly outcome: 'unknown' };

/** What a worker has capacity for, and what holds for all workers. */
export interface ClaimRequest {
  /** How many attempts to lease at most: from 1. */
  readonly limit: number;
  readonly leaseMs: number;
  /**
   * How much later than it was claimed an attempt may begin, ms: it stays in the window of the rate for so much longer,
   * so that the rate holds at the sender too. One that cannot begin by then is to be completed as `not_started`.
   * Workers may choose different margins, and change theirs, up to `LONGEST_RATE_MARGIN_MS`.
   */
  readonly rateMarginMs: number;
  /** Attempts of one webhook that may be in flight. */
  readonly maxInFlightPerWebhook: number;
  /** Attempts of all webhooks of one account that may be in flight. */
  readonly maxInFlightPerAccount: number;
  /** Leases in a row that may be lost before a delivery is given up as `poison`. */
  readonly maxStalledAttempts: number;
}

/** Attempts that were leased to the caller. */
export interface Claim {
  readonly attempts: readonly ClaimedAttempt[];
  /** Deliveries that this call has given up as `poison`. */
  readonly poisoned: readonly DeliveryRef[];
  /** Deliveries given up as `expired` for messages of the outbox that this call has published. Absent: none. */
  readonly expired?: readonly DeliveryRef[];
  /**
   * When to claim again, ms from now, unless something happens before: a message is published, an attempt is completed,
   * a webhook is changed or enabled, a delivery is sent again. No later than the next lease ends; `null`: not before
   * any of these. 0: at once, as where this call has passed over what others were looking at.
   */
  readonly nextInMs: number | null;
}

/** An attempt to be made now, with all that it takes to send it. */
export interface ClaimedAttempt extends DeliveryRef {
  /** From 1; {@link DeliveryStore.complete} takes no other. */
  readonly attempt: number;
  readonly sequence: number;
  /** When it was claimed, by the store's clock, ms. */
  readonly claimedAtMs: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly event: string;
  /** Failed tries since the delivery was published, or sent again. */
  readonly failures: number;
  /** Attempts in a row, right before this one, that were not counted. */
  readonly notCounted: number;
  readonly body: string;
  readonly webhook: Pick<WebhookRecord, 'url' | 'secrets'>;
}

/** What an attempt means for its delivery. */
export type AttemptOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** Not the receiver's doing: costs none of the tries, and does not count as a failure of the webhook. */
  | { readonly kind: 'not_counted'; readonly delayMs: number }
  | { readonly kind: 'failed'; readonly reason: Extract<DeadReason, 'exhausted' | 'gone'> };

/** How a claimed attempt ended. */
export type AttemptEnd = Pick<
  ClaimedAttempt,
  | 'accountId'
  | 'webhookId'
  | 'deliveryId'
  | 'attempt'
  | 'sequence'
  | 'claimedAtMs'
  | 'createdAtMs'
  | 'expiresAtMs'
  | 'event'
> &
  (
    | {
        readonly outcome: AttemptOutcome;
        readonly result: AttemptResult;
        /** Where it was sent. */
        readonly url: string;
        /** For how long no attempt of the webhook is to start, ms; 0: this one asks for no such thing. */
        readonly backoffMs: number;
      }
    /** Nothing was sent. The delivery keeps its place and all of its tries. */
    | { readonly outcome: { readonly kind: 'not_started' } }
  );

/** What completing needs of the policy. */
export interface CompleteLimits {
  /** How long a webhook may have nothing but failures before it is disabled, ms. */
  readonly disableAfterMs: number;
}

/** What came of one attempt. */
export type CompletedAttempt =
  | {
      readonly outcome: 'completed';
      /** Set where this attempt disabled the webhook. */
      readonly disabled: DisabledReason | null;
    }
  /**
   * It failed at a URL that its webhook no longer has, which says nothing about the new one: completed as `not_counted`
   * with a delay of 0, and nothing backs off.
   */
  | { readonly outcome: 'moved' }
  /** Its lease is over, and it counts as lost; or it was completed before. Nothing changed. */
  | { readonly outcome: 'stale' }
  /** Where its account is kept failed, while others answered. Complete it again. */
  | { readonly outcome: 'unavailable'; readonly error: unknown };
