import type { Awaitable } from '../awaitable.ts';
import type {
  FinishOutcome,
  PublishOutcome,
  RescheduledDelivery,
  ResendOutcome,
  ScheduledBatch,
  ScheduledDelivery,
  StartOutcome,
} from './delivery-outcomes.ts';
import type { DeliveryRecord, DeliveryRef, ListedDelivery } from './delivery-record.ts';
import type {
  FinishRequest,
  OverdueRequest,
  RecoverRequest,
  ReleaseRequest,
  RescheduleRequest,
  StartRequest,
  UnreleasedRequest,
} from './delivery-requests.ts';
import type { NewMessage } from './new-message.ts';
import type { Outbox } from './outbox.ts';
import type { Page } from './page.ts';
import type { WebhookRef } from './webhook-store.ts';

/**
 * Deliveries: the log that clients read, and the one place that decides whether an attempt may start. An
 * engine only remembers when to ask; what it forgets is found again by `overdue`.
 *
 * Atomicity: every method is one transition, except that a store may answer `list`, `reschedule` and `overdue` in
 * several. Then each delivery in the answer is one transition, as it was read, rescheduled or put off, and the page is
 * not: other calls may come between two of its deliveries, and a call that rejects may have rescheduled or put off
 * some. Callers rely on no more than that, and the testkit certifies no more.
 *
 * Concurrency: any number of processes. Times are the store's own.
 *
 * Idempotency: every method can be repeated. A repeated `start` whose first answer was lost finds `sending`
 * until the lease is over; a repeated `finish` is `stale`; a repeated `overdue` returns other deliveries.
 *
 * The rate: of the attempts of one webhook at most `rateLimit` start in any window of `rateLimitPeriod` +
 * `rateMarginMs`, by the limit that holds at that moment. A delivery that may not start is scheduled for a later time.
 * These times are spread evenly over the deliveries that only the rate keeps waiting, so that a backlog costs each
 * delivery a constant number of calls. While a webhook pauses ({@link FinishRequest.pauseMs}), its rate has no start
 * left: what asks is scheduled for the end of the pause, or as long after it as the rate takes for those ahead of it.
 * Enabling it ends the pause, as does another URL; what waits is then to be rescheduled.
 *
 * Synchrony: a store in the memory of the process may answer the calls that every delivery needs (`publish`, `start`,
 * `finish`) synchronously.
 *
 * Order: a delivery that cannot start yet waits in one of two lines: first tries by time of publishing, everything else
 * (retries, resends) by the time when it began to wait for rate or room. Starts alternate between the two while both
 * are non-empty. A delivery starts only if all that are before it in this order could start too. So the nth waiting
 * retry is the 2nth to start at the latest, whatever the backlog, and retries never keep first tries from starting.
 *
 * Parking: a delivery is parked if what is in flight and those ahead of it already fill `maxInFlight`, whatever the
 * rate says. With a `maxInFlight` of 2, nothing in flight and five waiting, two wait for the rate and three are parked.
 * A parked delivery is returned as {@link NextDelivery | next} by the `start` or `finish` that leaves room for it. Its
 * own timer is only a fallback: it ends when there is room even if every attempt takes its whole lease, or when the
 * rate may let it start, whichever is later. So a single delivery that is not parked is enough to keep all room in use.
 * Even behind a receiver that hangs, at most `maxInFlight` deliveries keep asking at the pace of the rate.
 */
export interface DeliveryStore {
  /** Of a store that shares its database with the host. Needed to publish within the host's transactions. */
  readonly outbox?: Outbox;

  /** Stores a message and its deliveries: all of them, or nothing. Deliveries to disabled webhooks are held. */
  publish(message: NewMessage): Awaitable<PublishOutcome>;

  /** Admits an attempt, if it may start now. */
  start(request: StartRequest): Awaitable<StartOutcome>;

  /** Ends an attempt: logs it, and settles what becomes of the delivery and of its webhook. */
  finish(request: FinishRequest): Awaitable<FinishOutcome>;

  /**
   * Starts a delivery over: same id, same bytes, all tries. Applies to one that is delivered, dead or held, and to one
   * that waits for its next try: its receiver has been repaired, and nobody wants to wait for hours. If the webhook is
   * disabled, the delivery is held, and keeps its present run until it is released.
   */
  resend(ref: DeliveryRef): Promise<ResendOutcome>;

  /**
   * Starts over the dead deliveries that were created at or after `sinceMs`, oldest first. Those of a disabled webhook
   * are held. `null`: no such webhook.
   */
  recover(ref: WebhookRef, request: RecoverRequest): Promise<ScheduledBatch | null>;

  /**
   * Starts over the held deliveries of an enabled webhook, oldest first. Does nothing for a disabled one. `null`: no
   * such webhook.
   */
  release(ref: WebhookRef, request: ReleaseRequest): Promise<ScheduledBatch | null>;

  /**
   * Enabled webhooks, of all accounts, of which deliveries are still held: their release goes on, or whoever did it has
   * ended. Up to `limit` of them, chosen at random: no account has those of another wait for its own. None where there
   * are none.
   */
  unreleased(request: UnreleasedRequest): Promise<readonly WebhookRef[]>;

  /**
   * Reschedules the deliveries of both lines by the present limit: retries first, then first tries, each in order.
   * Needed after the limit or the URL of a webhook was changed, or it was enabled. `after` is the `position` of the
   * last one rescheduled. `null`: no such webhook; a disabled one has nothing to reschedule.
   *
   * Each is scheduled as by `start`, and so parked where there is no room for it. Parked deliveries are skipped unless
   * there is room and nothing else would wake them: those in flight and those ahead, in order, are fewer than
   * `maxInFlight`. Otherwise a client could make a whole backlog ask in vain, as often as it likes. A delivery that may
   * start now, and should have asked before, stays as late as it was, for `overdue` too.
   */
  reschedule(
    ref: WebhookRef,
    request: RescheduleRequest,
  ): Promise<readonly RescheduledDelivery[] | null>;

  /**
   * Deliveries that should have started `graceMs` ago and have not, most overdue first: their engine has lost them, or
   * never had them. An attempt whose lease is over counts from `LEASE_SLACK_MS` before that end: with a `graceMs` of no
   * more than that, it is returned as soon as its lease is over. What is returned is put off:
   * {@link OverdueRequest.putOffMs}.
   */
  overdue(request: OverdueRequest): Promise<readonly ScheduledDelivery[]>;

  /** A delivery as it is now. `null`: no such delivery, or it is forgotten ({@link NewMessage.retentionMs}). */
  find(ref: DeliveryRef): Promise<DeliveryRecord | null>;

  /**
   * Newest first; `page.after` is the sequence of the last one seen. `null`: no such webhook.
   *
   * Security: what receivers answered is neither listed nor read. Clients may list as often as they like, a hundred at
   * a time, and may be the receivers themselves: they must not decide how much is read.
   */
  list(ref: WebhookRef, page: Page): Promise<readonly ListedDelivery[] | null>;

  /** How many are queued, sending or waiting, over all webhooks. */
  countPending(): Promise<number>;

  /**
   * How late the most overdue delivery is, over all webhooks, ms; 0 if none is. A delivery is late if `overdue` would
   * return it with a `graceMs` of 0, not while rate, room or schedule keep it waiting.
   *
   * A delivery that was put off counts from its new due time. So the lag stays at some ten seconds while an engine
   * sweeps, and grows while none does.
   */
  lagMs(): Promise<number>;
}
