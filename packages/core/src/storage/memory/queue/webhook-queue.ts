import type { AccountId } from '../../../account-id.ts';
import { type DeliveryProgress, UNTRIED } from '../../decisions/end-of-attempt.ts';
import { isRetryNext } from '../../decisions/queue-state.ts';
import type { StartWindow } from '../../decisions/start-window.ts';
import type { DeliveryRef } from '../../delivery-record.ts';
import { type Timed, TimeHeap } from '../../engine/time-heap.ts';
import { DeliveryLog } from './delivery-log.ts';

/** An event, once for all of its deliveries. In a heap, timed by when it expires. */
export interface QueuedMessage extends Timed {
  readonly accountId: AccountId;
  readonly messageId: string;
  readonly event: string;
  /** Empty once all webhooks that it was for have been removed. */
  body: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly deliveries: QueuedDelivery[];
  /** How many it was for. */
  readonly published: number;
}

/** One message on its way to one webhook. In a heap while it waits for a retry, timed by when that is due. */
export class QueuedDelivery implements Timed {
  readonly message: QueuedMessage;
  readonly queue: WebhookQueue;
  readonly sequence: number;
  progress: DeliveryProgress = UNTRIED;
  /** Whether it waits for its first try in the order of publishing, for a retry, or is in flight; else it has ended. */
  waitsFor: 'first_try' | 'retry' | 'end_of_attempt' | null = 'first_try';
  lease: Lease | undefined;
  atMs = 0;
  heapIndex = 0;

  constructor(message: QueuedMessage, queue: WebhookQueue, sequence: number) {
    this.message = message;
    this.queue = queue;
    this.sequence = sequence;
  }

  get ref(): DeliveryRef {
    const { accountId, webhookId } = this.queue;
    return { accountId, webhookId, deliveryId: this.message.messageId };
  }
}

/** A claimed attempt. In a heap, timed by the end of its lease. */
export interface Lease extends Timed {
  readonly delivery: QueuedDelivery;
  readonly attempt: number;
  readonly claimedAtMs: number;
  readonly leaseMs: number;
}

/** A queue that waits for an attempt of its account to end. In a heap, timed by when it began to wait. */
export interface PlaceInLine extends Timed {
  readonly queue: WebhookQueue;
}

/** What was claimed and not started comes before all else, in the order of publishing: at negative times. */
const BEFORE_ALL_TIMES = -(10 ** 15);

/** The deliveries of one webhook. In a heap while any may be due, timed by when the webhook can start something. */
export class WebhookQueue implements Timed {
  readonly accountId: AccountId;
  readonly webhookId: string;
  /** All deliveries that have not expired, in the order of publishing. */
  readonly log = new DeliveryLog();
  readonly retries: TimeHeap<QueuedDelivery> = new TimeHeap();
  starts: StartWindow = [];
  /** How many wait for their first try: they are those of `log` from the cursor on. */
  fresh = 0;
  #cursor = 1;
  inFlight = 0;
  wasRetryLast = false;
  failingSinceMs: number | null = null;
  backoffUntilMs = 0;
  /** Whether it waits for one of its own attempts to end. */
  isCapped = false;
  /** Its place among those that wait for an attempt of their account to end. */
  place: PlaceInLine | undefined;
  isDue = false;
  atMs = 0;
  heapIndex = 0;

  constructor(accountId: AccountId, webhookId: string) {
    this.accountId = accountId;
    this.webhookId = webhookId;
  }

  get hasWork(): boolean {
    return this.fresh > 0 || this.retries.size > 0;
  }

  append(message: QueuedMessage): QueuedDelivery {
    const delivery = new QueuedDelivery(message, this, this.log.nextSequence);
    this.log.append(delivery);
    this.fresh += 1;
    message.deliveries.push(delivery);
    return delivery;
  }

  /** Takes the oldest that waits for its first try. */
  takeFresh(): QueuedDelivery | undefined {
    if (this.fresh === 0) return undefined;
    let delivery = this.log.at(this.#cursor);
    while (delivery === undefined) {
      this.#cursor += 1;
      delivery = this.log.at(this.#cursor);
    }
    this.#cursor += 1;
    this.fresh -= 1;
    delivery.waitsFor = null;
    return delivery;
  }

  /** Takes the delivery that may start next; `undefined`: none may. */
  takeHead(nowMs: number): QueuedDelivery | undefined {
    const retry = this.retries.first;
    const isDue = retry !== undefined && retry.atMs <= nowMs;
    if (isDue && (retry.atMs < 0 || isRetryNext(this, this.fresh > 0))) {
      if (retry.atMs >= 0) this.wasRetryLast = true;
      this.retries.remove(retry);
      retry.waitsFor = null;
      return retry;
    }
    const fresh = this.takeFresh();
    if (fresh !== undefined) this.wasRetryLast = false;
    return fresh;
  }

  /** Whether something may start now, as far as deliveries decide it. */
  hasHead(nowMs: number): boolean {
    const retry = this.retries.first;
    return this.fresh > 0 || (retry !== undefined && retry.atMs <= nowMs);
  }

  retryAt(delivery: QueuedDelivery, atMs: number): void {
    if (delivery.waitsFor === 'retry') this.retries.remove(delivery);
    delivery.waitsFor = 'retry';
    delivery.atMs = atMs;
    this.retries.add(delivery);
  }

  /** Puts back what was claimed and not started. */
  putBack(delivery: QueuedDelivery): void {
    this.retryAt(delivery, delivery.sequence + BEFORE_ALL_TIMES);
  }

  /** Takes one that has expired out of everything. */
  forget(delivery: QueuedDelivery): void {
    if (delivery.waitsFor === 'retry') this.retries.remove(delivery);
    if (delivery.waitsFor === 'first_try') this.fresh -= 1;
    delivery.waitsFor = null;
    this.log.remove(delivery);
  }
}
