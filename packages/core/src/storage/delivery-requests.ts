import type { AttemptResult } from './attempt-record.ts';
import type { DeadReason, DeliveryRef } from './delivery-record.ts';
import type { LinePosition } from './line-position.ts';

/** A delivery whose turn it is, as far as the engine knows. */
export interface StartRequest extends DeliveryRef {
  readonly run: number;
  /** How long an attempt may run before it counts as lost, ms: the process that made it has died or hangs. */
  readonly leaseMs: number;
  /** Attempts of one webhook that may be in flight. */
  readonly maxInFlight: number;
  /** Attempts that may be lost before the delivery is dead, as `poison`. */
  readonly maxLostAttempts: number;
  /**
   * Added to the period of the rate, so that it holds at the sender too: an attempt may begin up to this much later
   * than the store admitted it. One that cannot begin by then is withdrawn.
   */
  readonly rateMarginMs: number;
  /**
   * Withdraws the attempt in flight that started at this time, by the store's clock, ms: it was admitted, but too late
   * to be sent. `null`: none.
   *
   * The withdrawal comes first, in the same transition. It frees the attempt's number, lease and start; the attempt is
   * neither logged nor lost, even if its lease is over by now. The delivery then goes ahead of all that wait, since its
   * turn had come. If it still may not start, it returns to its place in the queue if this was the first try of its
   * first run, and otherwise waits behind the retries.
   *
   * Idempotency: no other time withdraws anything, so the call can be repeated from the next millisecond on. Identified
   * by time, since the next attempt gets the same number. A store that ignored this would eventually count the attempt
   * as lost.
   */
  readonly withdrawnStartAtMs: number | null;
}

/** What an attempt means for its delivery. */
export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** Not the receiver's doing: costs none of the tries, and does not count as a failure of the webhook. */
  | { readonly kind: 'excused'; readonly delayMs: number }
  | { readonly kind: 'dead'; readonly reason: Extract<DeadReason, 'exhausted' | 'gone'> };

/** An attempt that ended. */
export interface FinishRequest extends DeliveryRef {
  /** As {@link DeliveryStore.start} said. */
  readonly attempt: number;
  readonly result: AttemptResult;
  readonly verdict: Verdict;
  /**
   * How long a webhook may have nothing but failures, ms: after that the next delivery that is given up disables it, or
   * one that was published as long ago and fails again. The failure of a younger one does not, however long ago the one
   * before it was.
   */
  readonly disableAfterMs: number;
  /**
   * For how long no attempt of the webhook is to start, ms, up to `LONGEST_PAUSE_MS`, since its receiver asks to be
   * left alone. 0: this one does not. No pause shortens another. An attempt that started before a pause ended, however
   * that ended, begins no other.
   */
  readonly pauseMs: number;
  /** As for {@link DeliveryStore.start}: the next delivery is woken if it would find room. */
  readonly maxInFlight: number;
}

/** Which dead deliveries of a webhook to start over. */
export interface RecoverRequest {
  /** Those that were created at this time or after it, ms since 1970. */
  readonly sinceMs: number;
  /** How many at most. */
  readonly limit: number;
}

/** Which held deliveries of a webhook to start over. */
export interface ReleaseRequest {
  /** How many at most. */
  readonly limit: number;
}

/** How many webhooks with deliveries to release. */
export interface UnreleasedRequest {
  /** How many at most. */
  readonly limit: number;
}

/** Which of the deliveries that wait are rescheduled, and by what. */
export interface RescheduleRequest {
  /** 1 to 100. Only the last page has fewer: other deliveries take the place of forgotten ones. */
  readonly limit: number;
  /** The position of the last one rescheduled; `null`: from the first retry. */
  readonly after: LinePosition | null;
  /** As for a start. */
  readonly rateMarginMs: number;
  /** As for a start: a delivery that finds no room among this many is parked. */
  readonly maxInFlight: number;
  /** As for a start: by when there is room at the worst. */
  readonly leaseMs: number;
}

/** Which overdue deliveries to look for. */
export interface OverdueRequest {
  /** How late a delivery must be, ms. */
  readonly graceMs: number;
  /** How many to return at most. */
  readonly limit: number;
  /**
   * How far each delivery that is returned is put off, ms: it is due again after this time, and so returned again once
   * this and `graceMs` have passed, unless it started. Meanwhile others are returned, even if many of the first cannot
   * start, and several processes that ask get different ones. Nothing else changes: a delivery that was returned may
   * start at once, and leases end when they would have ended.
   */
  readonly putOffMs: number;
}
