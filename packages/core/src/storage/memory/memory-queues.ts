import type { AccountId } from '../../account-id.ts';
import { accountName } from '../../account-name.ts';
import {
  NEW_QUEUE,
  type QueueState,
  queueAfterAttempt,
  queueDueBy,
} from '../decisions/queue-state.ts';
import type { DeliveryRef } from '../delivery-record.ts';
import { SortedPlaces } from '../engine/sorted-places.ts';
import type { Lease } from '../engine/webhooks/stored-delivery.ts';
import type { WebhookRecord, WebhookRef } from '../webhook-store.ts';
import type {
  MemoryAccount,
  MemoryDelivery,
  MemoryMessage,
  MemoryWebhook,
  PublishedKey,
} from './memory-records.ts';

/** The webhooks of all accounts, with their queues. Every method leaves all of its indexes consistent. */
export class MemoryQueues {
  readonly #accounts = new Map<string, MemoryAccount>();
  /** By the time at which they can start an attempt. */
  readonly #due = new SortedPlaces<MemoryWebhook>();
  /** The deliveries in flight, by the end of their leases. */
  readonly #leased = new SortedPlaces<MemoryDelivery>();
  readonly #messages = new SortedPlaces<MemoryMessage>();
  readonly #keys = new SortedPlaces<PublishedKey>();
  /** The delivered deliveries, the oldest first. */
  readonly #delivered = new Set<MemoryDelivery>();
  readonly #maxDelivered: number;
  #names = 0;

  constructor(maxDelivered: number) {
    this.#maxDelivered = maxDelivered;
  }

  get accounts(): Iterable<MemoryAccount> {
    return this.#accounts.values();
  }

  /** A new name: entries of one place are sorted in the order of their creation. */
  newName(): number {
    this.#names += 1;
    return this.#names;
  }

  account(accountId: AccountId): MemoryAccount | undefined {
    return this.#accounts.get(accountName(accountId));
  }

  /** The account, which is added if it is new. */
  openAccount(accountId: AccountId): MemoryAccount {
    const name = accountName(accountId);
    const existing = this.#accounts.get(name);
    if (existing !== undefined) return existing;
    const account = {
      name,
      webhooks: new Map(),
      messages: new Map(),
      published: new Map(),
      inFlight: 0,
      isCapped: false,
    };
    this.#accounts.set(name, account);
    return account;
  }

  addWebhook(record: WebhookRecord): void {
    const account = this.openAccount(record.accountId);
    account.webhooks.set(record.webhookId, {
      account,
      record,
      queue: NEW_QUEUE,
      deliveries: new Map(),
      retries: new SortedPlaces(),
      place: 0,
      name: this.newName(),
    });
  }

  /** Removes a webhook with all of its deliveries. Their messages still count as published. */
  removeWebhook(webhook: MemoryWebhook): void {
    const { account, record, queue } = webhook;
    for (const delivery of webhook.deliveries.values()) {
      if (delivery.wait?.for === 'end_of_attempt') this.#leased.remove(delivery);
      this.#delivered.delete(delivery);
      const { message } = delivery;
      removeFrom(message.deliveries, delivery);
      if (message.deliveries.length === 0) message.body = '';
    }
    account.inFlight -= queue.inFlight;
    if (queue.inFlight > 0) account.isCapped = false;
    if (queue.dueAtMs !== null) this.#due.remove(webhook);
    account.webhooks.delete(record.webhookId);
    this.#closeAccount(account);
  }

  addMessage(message: MemoryMessage): void {
    message.account.messages.set(message.messageId, message);
    this.#messages.add(message);
  }

  addKey(key: PublishedKey): void {
    key.account.published.set(key.key, key);
    this.#keys.add(key);
  }

  setQueue(webhook: MemoryWebhook, queue: QueueState): void {
    if (queue.dueAtMs !== webhook.queue.dueAtMs) {
      if (webhook.queue.dueAtMs !== null) this.#due.remove(webhook);
      if (queue.dueAtMs !== null) {
        webhook.place = queue.dueAtMs;
        this.#due.add(webhook);
      }
    }
    webhook.queue = queue;
  }

  webhook({ accountId, webhookId }: WebhookRef): MemoryWebhook | undefined {
    return this.account(accountId)?.webhooks.get(webhookId);
  }

  /** Records that the deliveries up to `sequence` no longer wait for their first attempt. */
  setLastTaken(webhook: MemoryWebhook, sequence: number): void {
    const { queue, deliveries } = webhook;
    let lastTaken = sequence;
    // The next ones may have expired earlier.
    while (lastTaken < queue.lastSequence && !deliveries.has(lastTaken + 1)) lastTaken += 1;
    this.setQueue(webhook, { ...queue, lastTaken });
  }

  /** An unexpired delivery. */
  delivery(
    { accountId, webhookId, deliveryId }: DeliveryRef,
    nowMs: number,
  ): MemoryDelivery | null {
    const deliveries = this.account(accountId)?.messages.get(deliveryId)?.deliveries ?? [];
    const delivery = deliveries.find((each) => each.webhookId === webhookId);
    return delivery !== undefined && nowMs < delivery.expiresAtMs ? delivery : null;
  }

  /** Up to `limit` webhooks that can start an attempt, those first that have waited longest. */
  webhooksDue(nowMs: number, limit: number): readonly MemoryWebhook[] {
    const due: MemoryWebhook[] = [];
    this.#due.find((webhook) => {
      if (webhook.place > nowMs || due.length >= limit) return true;
      if (!webhook.account.isCapped) due.push(webhook);
      return false;
    });
    return due;
  }

  /** When the next webhook can start an attempt or the next lease ends, ms; `null`: nothing waits or is in flight. */
  nextAtMs(): number | null {
    const dueAtMs = this.#due.find(({ account }) => !account.isCapped)?.place ?? Infinity;
    const nextAtMs = Math.min(dueAtMs, this.#leased.first?.place ?? Infinity);
    return nextAtMs === Infinity ? null : nextAtMs;
  }

  /** The first delivery whose lease has ended. */
  firstStalled(nowMs: number): MemoryDelivery | null {
    const first = this.#leased.first;
    return first !== undefined && first.place <= nowMs ? first : null;
  }

  /** Leases a delivery that waits for nothing any more. */
  lease(delivery: MemoryDelivery, lease: Lease): void {
    delivery.wait = { for: 'end_of_attempt', lease };
    delivery.place = lease.endsAtMs;
    this.#leased.add(delivery);
    delivery.webhook.account.inFlight += 1;
  }

  /** Ends the lease of a delivery, which then waits for nothing. */
  endLease(delivery: MemoryDelivery, nowMs: number): Lease {
    const { webhook, wait } = delivery;
    if (wait?.for !== 'end_of_attempt') throw new Error('The delivery is not in flight.');
    this.#leased.remove(delivery);
    delivery.wait = null;
    webhook.account.inFlight -= 1;
    webhook.account.isCapped = false;
    this.setQueue(webhook, queueAfterAttempt(webhook.queue, webhook.record, nowMs));
    return wait.lease;
  }

  /** `atMs` is `null` for a returned delivery, which comes before all others. */
  scheduleRetry(delivery: MemoryDelivery, atMs: number | null, nowMs: number): void {
    const { webhook } = delivery;
    this.unscheduleRetry(delivery);
    delivery.wait = { for: 'retry', atMs };
    delivery.place = atMs ?? -1;
    webhook.retries.add(delivery);
    const queue = { ...webhook.queue, retries: webhook.queue.retries + 1 };
    this.setQueue(webhook, queueDueBy(queue, webhook.record, atMs ?? nowMs));
  }

  unscheduleRetry(delivery: MemoryDelivery): void {
    const { webhook, wait } = delivery;
    if (wait?.for !== 'retry') return;
    webhook.retries.remove(delivery);
    delivery.wait = null;
    this.setQueue(webhook, { ...webhook.queue, retries: webhook.queue.retries - 1 });
  }

  /** Keeps a delivered delivery as the newest, and deletes the oldest beyond the limit. */
  keepDelivered(delivery: MemoryDelivery): void {
    this.#delivered.add(delivery);
    if (this.#delivered.size <= this.#maxDelivered) return;
    const [oldest] = this.#delivered;
    if (oldest === undefined) return;
    const { message } = oldest;
    this.deleteDelivery(oldest);
    if (message.deliveries.length > 0) return;
    this.#messages.remove(message);
    this.#forgetMessage(message);
  }

  /** A delivery that is delivered no longer, because it is redelivered. */
  forgetDelivered(delivery: MemoryDelivery): void {
    this.#delivered.delete(delivery);
  }

  /** Deletes a delivery that is not in flight. */
  deleteDelivery(delivery: MemoryDelivery): void {
    const { webhook, message, sequence } = delivery;
    this.unscheduleRetry(delivery);
    this.#delivered.delete(delivery);
    removeFrom(message.deliveries, delivery);
    webhook.deliveries.delete(sequence);
    if (sequence === webhook.queue.lastTaken + 1) this.setLastTaken(webhook, sequence);
  }

  /** Deletes what has expired. A delivery in flight is kept until its lease ends. */
  deleteExpired(nowMs: number): void {
    for (let key = this.#keys.first; isExpired(key, nowMs); key = this.#keys.first) {
      this.#keys.remove(key);
      if (key.account.published.get(key.key) === key) key.account.published.delete(key.key);
      this.#closeAccount(key.account);
    }
    let message = this.#messages.first;
    for (; isExpired(message, nowMs); message = this.#messages.first) {
      this.#messages.remove(message);
      for (const delivery of [...message.deliveries])
        if (delivery.wait?.for !== 'end_of_attempt') this.deleteDelivery(delivery);
      this.#forgetMessage(message);
    }
  }

  #forgetMessage({ account, messageId }: MemoryMessage): void {
    account.messages.delete(messageId);
    this.#closeAccount(account);
  }

  #closeAccount({ name, webhooks, messages, published }: MemoryAccount): void {
    if (webhooks.size + messages.size + published.size === 0) this.#accounts.delete(name);
  }
}

function isExpired<Expiring extends { readonly place: number }>(
  entry: Expiring | undefined,
  nowMs: number,
): entry is Expiring {
  return entry !== undefined && entry.place <= nowMs;
}

function removeFrom(deliveries: MemoryDelivery[], delivery: MemoryDelivery): void {
  deliveries.splice(deliveries.indexOf(delivery), 1);
}
