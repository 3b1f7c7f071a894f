import type { AttemptResult } from './attempt-record.ts';
import type { DeadReason, DeliveryRef, ListedDelivery } from './delivery-record.ts';
import type { NewMessage } from './new-message.ts';
import type { Outbox } from './outbox.ts';
import type { Page } from './page.ts';
import type { DisabledReason, WebhookRecord, WebhookRef } from './webhook-store.ts';

/**
 * Deliveries, in one queue for each webhook. Workers claim attempts that may start now, send them, and complete them.
 *
 * Atomicity: `publish`, and every change of one delivery, is one transition; a store that spreads accounts over several
 * partitions may do everything else partition by partition. Concurrency: any number of processes. Times are of the
 * store's clock; if it is set back, only retries wait longer, by the time that it was set back.
 *
 * Rate limit: if each attempt begins within the `rateMarginMs` of its claim, at most `rateLimit` attempts of one
 * webhook begin in any window of `rateLimitPeriod`. A claim applies the limit that the webhook has at that time.
 *
 * Order: first attempts by time of publishing, retries by due time; claims alternate between the two while both wait.
 * Before both come returned deliveries: those that were claimed and not started, and those whose lease has expired. Of
 * the webhooks that wait because of a limit of attempts in flight, the one that has waited longest is next.
 *
 * Leases: a claimed attempt belongs to its worker for `leaseMs`. An attempt that is not completed by then is recorded
 * as `lost`, and its delivery is claimed again.
 */
export interface DeliveryStore {
  /**
   * Stores a message and all of its deliveries, or nothing. Deliveries beyond `maxQueued` expire, the oldest first.
   * After the limit was lowered, one call may expire only some of them.
   *
   * Idempotency: by the message's id until it expires, and by its key for `idempotencyMs`, even if its webhooks have
   * been removed since then.
   */
  publish(message: NewMessage): Promise<PublishedMessage>;

  /** Leases attempts that may start now to the caller, from the webhooks that have waited longest first. */
  claim(request: ClaimRequest): Promise<Claim>;

  /**
   * Completes attempts, and returns an outcome for each, in the order of `ends`. The number of an attempt and its
   * `claimedAtMs` are the fencing token: `stale` if the lease has expired. Rejects if no attempt could be completed.
   */
  complete(
    ends: readonly AttemptEnd[],
    limits: CompleteLimits,
  ): Promise<readonly CompletedAttempt[]>;

  /**
   * Redelivers one delivery, with the same id and body. It gets all of its attempts again. It is due immediately, or as
   * soon as its disabled webhook is enabled.
   */
  redeliver(ref: DeliveryRef): Promise<RedeliverOutcome>;

  /**
   * Redelivers failed deliveries that were published at or after `sinceMs`, the oldest first, up to `limit` of them.
   * Returns their number, and whether there are more; `null`: no such webhook.
   */
  redeliverFailed(
    ref: WebhookRef,
    request: RedeliverFailedRequest,
  ): Promise<{ readonly count: number; readonly more: boolean } | null>;

  /**
   * Lists deliveries, newest first; `page.after` is the sequence of the last one of the page before. `null`: no such
   * webhook. A page is not a consistent view: each delivery is read by itself.
   */
  list(ref: WebhookRef, page: Page): Promise<readonly ListedDelivery[] | null>;

  /** The size and the age of the backlog. */
  stats(): Promise<QueueStats>;

  /**
   * Calls `onDue` when a delivery may have become due, in any process. Some calls may be needless and some may be
   * missing, so poll as well. Never throws.
   *
   * @returns a function that ends the subscription
   */
  subscribe?(onDue: () => void): () => Promise<void>;

  /** Present if the store shares the host's database. */
  readonly outbox?: Outbox;
}

/** The outcome of {@link DeliveryStore.redeliver}. */
export type RedeliverOutcome =
  | { readonly outcome: 'due' }
  /** The delivery waits for its first attempt, is in flight, or its retry is already due. Nothing changed. */
  | { readonly outcome: 'under_way' }
  | { readonly outcome: 'unknown' };

/** Which failed deliveries of a webhook to redeliver. */
export interface RedeliverFailedRequest {
  /** Only deliveries that were published at or after this time, ms since 1970. */
  readonly sinceMs: number;
  /** The largest number of deliveries, from 1. */
  readonly limit: number;
}

/** The size and the age of the backlog. */
export interface QueueStats {
  /**
   * The number of deliveries of enabled webhooks that wait for an attempt, some of which may have expired, plus the
   * number of all deliveries in flight. Exact up to 100,000; a store may count no further and return this number.
   */
  readonly pending: number;
  /** How long the longest-waiting webhook that may start an attempt has been due, ms; 0: none may. */
  readonly oldestDueAgeMs: number;
}

/** The outcome of {@link DeliveryStore.publish}. */
export type PublishedMessage =
  | {
      /** `duplicate`: published before, with this id or this idempotency key. Nothing changed. */
      readonly outcome: 'published' | 'duplicate';
      /** The id of the message that was published first. */
      readonly messageId: string;
      /** The number of webhooks that receive it, including disabled ones. */
      readonly deliveries: number;
      /** Deliveries that became dead as `expired` by this call. */
      readonly expired: readonly DeliveryRef[];
    }
  /** There is no webhook `webhookId`. */
  | { readonly outcome: 'unknown' };

/** The capacity of a worker, and the limits for all workers. */
export interface ClaimRequest {
  /** The largest number of attempts to lease, from 1. A store may lease fewer, with a `nextInMs` of 0. */
  readonly limit: number;
  readonly leaseMs: number;
  /**
   * How long after its claim an attempt may begin, ms. The attempt counts towards the rate limit for this time and a
   * period. Otherwise an attempt that begins late and the first one of the next period would begin within one period.
   * Complete an attempt that cannot begin in time as `not_started`. Each worker may choose and change its margin, up to
   * `LONGEST_RATE_MARGIN_MS`.
   */
  readonly rateMarginMs: number;
  /** Attempts of one webhook that may be in flight. */
  readonly maxInFlightPerWebhook: number;
  /** Attempts of all webhooks of one account that may be in flight. */
  readonly maxInFlightPerAccount: number;
  /** The number of expired leases in a row after which a delivery is dead as `poison`. */
  readonly maxStalledAttempts: number;
  /**
   * Called with attempts that the claim may have leased although it has rejected, for example because the reply was
   * late. The caller completes them as `not_started`; otherwise each would count as lost, though nobody sends it.
   */
  readonly onUnsent?: (attempts: readonly ClaimedAttempt[]) => void;
}

/** Attempts that were leased to the caller. */
export interface Claim {
  readonly attempts: readonly ClaimedAttempt[];
  /** Deliveries that became dead as `poison` by this call. */
  readonly poisoned: readonly DeliveryRef[];
  /** Deliveries that became dead as `expired` when this call published messages of the outbox. Absent: none. */
  readonly expired?: readonly DeliveryRef[];
  /**
   * When to claim again, ms from now: when the next lease ends at the latest; 0: immediately, for example if this call
   * has skipped queues that other claims had locked. Claim earlier if a message is published, an attempt is completed,
   * a webhook is changed or enabled, or a delivery is redelivered; `null`: only then.
   */
  readonly nextInMs: number | null;
}

/** An attempt to be sent now, with everything that is needed for it. */
export interface ClaimedAttempt extends DeliveryRef {
  /** From 1; {@link DeliveryStore.complete} accepts no other number. */
  readonly attempt: number;
  readonly sequence: number;
  /** When it was claimed, by the store's clock, ms. */
  readonly claimedAtMs: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly event: string;
  /** Failed attempts since the delivery was published or redelivered. */
  readonly failures: number;
  /** The number of attempts in a row, right before this one, that were not counted. */
  readonly notCounted: number;
  readonly body: string;
  readonly webhook: Pick<WebhookRecord, 'url' | 'secrets'>;
}

/** The outcome of an attempt for its delivery. */
export type AttemptOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** Not a failure of the receiver: the attempt counts neither in the schedule, nor as a failure of the webhook. */
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
        /** The URL to which it was sent. */
        readonly url: string;
        /** How long the webhook backs off, ms; 0: this attempt requires no backoff. */
        readonly backoffMs: number;
      }
    /** Nothing was sent. The delivery keeps its queue position and all of its attempts. */
    | { readonly outcome: { readonly kind: 'not_started' } }
  );

/** The part of the policy that `complete` needs. */
export interface CompleteLimits {
  /** How long a webhook may have only failures before it is disabled, ms. */
  readonly disableAfterMs: number;
}

/** The outcome of completing one attempt. */
export type CompletedAttempt =
  | {
      readonly outcome: 'completed';
      /** The reason, if this attempt disabled the webhook. */
      readonly disabled: DisabledReason | null;
    }
  /**
   * The attempt failed at a URL that its webhook no longer has, which says nothing about the new URL. It was completed
   * as `not_counted` with a delay of 0 and without a backoff.
   */
  | { readonly outcome: 'moved' }
  /** The lease of the attempt has expired, or the attempt was completed before. Nothing changed. */
  | { readonly outcome: 'stale' }
  /** The partition of its account has failed, while others have not. Complete the attempt again. */
  | { readonly outcome: 'unavailable'; readonly error: unknown };
