import { type AccountId, accountName } from '../../../account-id.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { DeliveryRef } from '../../delivery-record.ts';
import { type Timed, TimeHeap } from '../../engine/time-heap.ts';
import type { NewMessage } from '../../new-message.ts';
import type { WebhookRef } from '../../webhook-store.ts';
import {
  type Lease,
  type PlaceInLine,
  type QueuedDelivery,
  type QueuedMessage,
  WebhookQueue,
} from './webhook-queue.ts';

/** What was published under an idempotency key. In a heap, timed by when the key is forgotten. */
interface Published extends Timed {
  readonly key: string;
  readonly messageId: string;
  readonly deliveries: number;
}

/**
 * All queues, by webhook. Every transition begins by forgetting what has expired: a timer would keep the process from
 * ending.
 */
export class QueueStates {
  /** Queues that have anything to start, by when they can. */
  readonly due: TimeHeap<WebhookQueue> = new TimeHeap();
  readonly leases: TimeHeap<Lease> = new TimeHeap();
  /** Attempts in flight, by account. */
  readonly #inFlight = new Map<AccountId, number>();
  /** Queues that wait for an attempt of their account to end, by account, the one that waits longest first. */
  readonly #capped = new Map<AccountId, TimeHeap<PlaceInLine>>();
  readonly timeOfDay: Clock;
  readonly #clock: Clock;
  readonly #maxDelivered: number;
  readonly #delivered = new Set<QueuedDelivery>();
  readonly #queues = new Map<string, WebhookQueue>();
  readonly #messages = new Map<string, QueuedMessage>();
  readonly #messagesByEnd = new TimeHeap<QueuedMessage>();
  readonly #keys = new Map<string, Published>();
  readonly #keysByEnd = new TimeHeap<Published>();

  /**
   * @param maxDelivered - deliveries kept once they are delivered, of all webhooks together
   * @param timeOfDay - when an attempt was claimed: receivers compare it with their own clocks
   */
  constructor(
    clock: Clock,
    { maxDelivered, timeOfDay }: { readonly maxDelivered: number; readonly timeOfDay: Clock },
  ) {
    this.#clock = clock;
    this.#maxDelivered = maxDelivered;
    this.timeOfDay = timeOfDay;
  }

  /** Call it first in every transition. Returns the time, ms. */
  begin(): number {
    const nowMs = this.#clock.nowMs();
    for (let message = this.#messagesByEnd.first; message && message.atMs <= nowMs; ) {
      for (const delivery of [...message.deliveries]) this.#forgetDelivery(delivery);
      this.#forgetMessage(message);
      message = this.#messagesByEnd.first;
    }
    for (let key = this.#keysByEnd.take(nowMs); key; key = this.#keysByEnd.take(nowMs)) {
      this.#keys.delete(key.key);
    }
    return nowMs;
  }

  /** The queue of a webhook, which the caller knows to exist. */
  queue({ accountId, webhookId }: WebhookRef): WebhookQueue {
    const name = `${accountName(accountId)}/${webhookId}`;
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const queue = new WebhookQueue(accountId, webhookId);
    this.#queues.set(name, queue);
    return queue;
  }

  /** Its messages are known by their ids until they expire. */
  removeQueue(ref: WebhookRef): void {
    const queue = this.queue(ref);
    this.notDue(queue);
    this.#queues.delete(`${accountName(ref.accountId)}/${ref.webhookId}`);
    for (const delivery of [...queue.log]) {
      this.#forgetDelivery(delivery);
      if (delivery.message.deliveries.length === 0) delivery.message.body = '';
    }
  }

  delivery({ accountId, webhookId, deliveryId }: DeliveryRef): QueuedDelivery | undefined {
    return this.message(accountId, deliveryId)?.deliveries.find(
      ({ queue }) => queue.webhookId === webhookId,
    );
  }

  message(accountId: AccountId, messageId: string): QueuedMessage | undefined {
    return this.#messages.get(`${accountName(accountId)}/${messageId}`);
  }

  addMessage(message: NewMessage, published: number, nowMs: number): QueuedMessage {
    const { accountId, messageId, event, body, retentionMs } = message;
    const expiresAtMs = nowMs + retentionMs;
    const stored: QueuedMessage = {
      ...{ accountId, messageId, event, body, createdAtMs: nowMs, expiresAtMs },
      ...{ deliveries: [], published, atMs: expiresAtMs, heapIndex: 0 },
    };
    this.#messages.set(`${accountName(accountId)}/${messageId}`, stored);
    this.#messagesByEnd.add(stored);
    return stored;
  }

  publishedUnder({ accountId, idempotencyKey }: NewMessage) {
    const known = this.#keys.get(`${accountName(accountId)} ${idempotencyKey}`);
    if (idempotencyKey === null || known === undefined) return undefined;
    return { messageId: known.messageId, deliveries: known.deliveries };
  }

  rememberKey(message: NewMessage, deliveries: number, nowMs: number): void {
    const { accountId, messageId, idempotencyKey, idempotencyMs } = message;
    if (idempotencyKey === null) return;
    const key = `${accountName(accountId)} ${idempotencyKey}`;
    const published = { key, messageId, deliveries, atMs: nowMs + idempotencyMs, heapIndex: 0 };
    this.#keys.set(key, published);
    this.#keysByEnd.add(published);
  }

  /** Has a queue be looked at no later than then, unless it waits for one of its attempts to end. */
  dueBy(queue: WebhookQueue, atMs: number): void {
    if (queue.isCapped) return;
    if (!queue.isDue) this.dueAt(queue, atMs);
    else if (atMs < queue.atMs) this.due.move(queue, atMs);
  }

  /** Has a queue be looked at then, and not before. */
  dueAt(queue: WebhookQueue, atMs: number): void {
    if (queue.isDue) {
      this.due.move(queue, atMs);
      return;
    }
    queue.isDue = true;
    queue.atMs = atMs;
    this.due.add(queue);
  }

  /** Has a delivery be tried again then. */
  retryAt(delivery: QueuedDelivery, atMs: number): void {
    delivery.queue.retryAt(delivery, atMs);
    this.dueBy(delivery.queue, atMs);
  }

  /** Has a delivery that was claimed and not started be tried before all others. */
  putBack(delivery: QueuedDelivery, nowMs: number): void {
    delivery.queue.putBack(delivery);
    this.dueBy(delivery.queue, nowMs);
  }

  /** Takes it out of the line too, in which it would keep others waiting. */
  notDue(queue: WebhookQueue): void {
    this.#uncap(queue);
    queue.isCapped = false;
    if (!queue.isDue) return;
    queue.isDue = false;
    this.due.remove(queue);
  }

  /** Has a queue wait for an attempt of its account to end, as it has since that time. */
  cap(queue: WebhookQueue, sinceMs: number): void {
    const line = this.#capped.get(queue.accountId) ?? new TimeHeap();
    this.#capped.set(queue.accountId, line);
    queue.place = { queue, atMs: sinceMs, heapIndex: 0 };
    line.add(queue.place);
  }

  /** There is room for an attempt of an account: the queue is due that waits longest for it, since it waits. */
  unblockCapped(accountId: AccountId): void {
    const queue = this.#capped.get(accountId)?.first?.queue;
    if (queue?.place === undefined) return;
    this.dueBy(queue, queue.place.atMs);
    this.#uncap(queue);
  }

  begun(lease: Lease): void {
    const { queue } = lease.delivery;
    lease.delivery.lease = lease;
    this.leases.add(lease);
    queue.inFlight += 1;
    this.#inFlight.set(queue.accountId, this.inFlightOf(queue.accountId) + 1);
  }

  /** An attempt is in flight no longer. What waited for one to end is due. */
  ended(lease: Lease, nowMs: number): void {
    const { delivery } = lease;
    const { queue } = delivery;
    const { accountId } = queue;
    delivery.lease = undefined;
    delivery.waitsFor = null;
    this.leases.remove(lease);
    queue.inFlight -= 1;
    const left = this.inFlightOf(accountId) - 1;
    if (left > 0) this.#inFlight.set(accountId, left);
    else this.#inFlight.delete(accountId);
    this.unblockCapped(accountId);
    if (!queue.isCapped) return;
    queue.isCapped = false;
    this.dueBy(queue, nowMs);
  }

  /** How many attempts of an account are in flight. */
  inFlightOf(accountId: AccountId): number {
    return this.#inFlight.get(accountId) ?? 0;
  }

  /** Keeps no more delivered ones than it may: the oldest are forgotten. */
  addDelivered(delivery: QueuedDelivery): void {
    this.#delivered.add(delivery);
    for (const oldest of this.#delivered) {
      if (this.#delivered.size <= this.#maxDelivered) return;
      this.#forgetDelivery(oldest);
      if (oldest.message.deliveries.length === 0) this.#forgetMessage(oldest.message);
    }
  }

  /** One that was delivered is sent again. */
  notDelivered(delivery: QueuedDelivery): void {
    this.#delivered.delete(delivery);
  }

  #uncap(queue: WebhookQueue): void {
    const line = this.#capped.get(queue.accountId);
    if (line === undefined || queue.place === undefined) return;
    line.remove(queue.place);
    queue.place = undefined;
    if (line.size === 0) this.#capped.delete(queue.accountId);
  }

  #forgetDelivery(delivery: QueuedDelivery): void {
    if (delivery.lease !== undefined) this.ended(delivery.lease, this.#clock.nowMs());
    delivery.queue.forget(delivery);
    this.#delivered.delete(delivery);
    const { deliveries } = delivery.message;
    deliveries.splice(deliveries.indexOf(delivery), 1);
  }

  #forgetMessage(message: QueuedMessage): void {
    this.#messagesByEnd.remove(message);
    this.#messages.delete(`${accountName(message.accountId)}/${message.messageId}`);
  }
}
