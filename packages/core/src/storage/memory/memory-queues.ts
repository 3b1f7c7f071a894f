import { createLinkedList } from '../../linked-list.ts';
import type { DeliveryProgress } from '../decisions/end-of-attempt.ts';
import {
  NEW_QUEUE,
  type QueueState,
  queueAfterAttempt,
  queueDueBy,
  waitingInQueue,
} from '../decisions/queue-state.ts';
import type { Lease } from '../decisions/queued-delivery.ts';
import { SortedEntries } from '../engine/sorted-entries.ts';
import type { WebhookRecord } from '../webhook-store.ts';
import { MemoryAccounts } from './memory-accounts.ts';
import type {
  DeliveryEntry,
  MemoryAccount,
  MemoryDelivery,
  MemoryMessage,
  MemoryWebhook,
  PublishedKey,
} from './memory-records.ts';

/** The webhooks of all accounts, with their queues and everything that is in an order. */
export class MemoryQueues {
  readonly accounts = new MemoryAccounts();
  /** By tie-breaker, in the order of creation. */
  readonly webhooks = new Map<number, MemoryWebhook>();
  /** The webhooks of accounts that are not capped, by the time at which they can start an attempt. */
  readonly #due = new SortedEntries<MemoryWebhook>();
  /** The deliveries in flight, by the end of their leases. */
  readonly #leased = new SortedEntries<DeliveryEntry>();
  readonly #messages = new SortedEntries<MemoryMessage>();
  readonly #keys = new SortedEntries<PublishedKey>();
  /** The delivered deliveries, the oldest first. */
  readonly #delivered = createLinkedList<MemoryDelivery>();
  readonly #maxDelivered: number;
  #lastTieBreaker = 0;

  constructor(maxDelivered: number) {
    this.#maxDelivered = maxDelivered;
  }

  /** Grows at each call, so that entries of one sort key are sorted in the order of their creation. */
  nextTieBreaker(): number {
    this.#lastTieBreaker += 1;
    return this.#lastTieBreaker;
  }

  addWebhook(record: WebhookRecord): void {
    const account = this.accounts.open(record.accountId);
    const webhook: MemoryWebhook = {
      account,
      record,
      queue: NEW_QUEUE,
      bySequence: new Map(),
      log: new SortedEntries(),
      retries: new SortedEntries(),
      failed: new SortedEntries(),
      sortKey: 0,
      tieBreaker: this.nextTieBreaker(),
    };
    account.webhooks.set(record.webhookId, webhook);
    this.webhooks.set(webhook.tieBreaker, webhook);
  }

  /** Removes a webhook with all of its deliveries. Their messages still count as published. */
  removeWebhook(webhook: MemoryWebhook): void {
    const { account, record, queue } = webhook;
    for (const delivery of webhook.bySequence.values()) {
      if (delivery.wait?.for === 'end_of_attempt') this.#removeEntry(this.#leased, delivery);
      delivery.forgetDelivered?.();
      const { message } = delivery;
      message.deliveries.delete(record.webhookId);
      if (message.deliveries.size === 0) message.body = '';
    }
    this.setQueue(webhook, { ...queue, dueAtMs: null });
    if (queue.inFlight > 0) this.setCapped(account, false);
    account.inFlight -= queue.inFlight;
    account.webhooks.delete(record.webhookId);
    this.webhooks.delete(webhook.tieBreaker);
    this.accounts.closeIfEmpty(account);
  }

  addMessage(message: MemoryMessage): void {
    message.account.messages.set(message.messageId, message);
    this.#messages.add(message);
  }

  addKey(key: PublishedKey): void {
    key.account.published.set(key.key, key);
    this.#keys.add(key);
  }

  addDelivery(delivery: MemoryDelivery): void {
    const { webhook, message, sequence, webhookId } = delivery;
    webhook.bySequence.set(sequence, delivery);
    webhook.log.add(delivery);
    message.deliveries.set(webhookId, delivery);
  }

  setQueue(webhook: MemoryWebhook, queue: QueueState): void {
    const { dueAtMs } = webhook.queue;
    webhook.queue = queue;
    if (queue.dueAtMs === dueAtMs) return;
    const { isCapped } = webhook.account;
    if (dueAtMs !== null && !isCapped) this.#due.remove(webhook);
    webhook.sortKey = queue.dueAtMs ?? 0;
    if (queue.dueAtMs !== null && !isCapped) this.#due.add(webhook);
  }

  /** Sets whether the account is at its limit of attempts in flight: then its webhooks wait for one of them to end. */
  setCapped(account: MemoryAccount, isCapped: boolean): void {
    if (account.isCapped === isCapped) return;
    account.isCapped = isCapped;
    for (const webhook of account.webhooks.values()) {
      if (webhook.queue.dueAtMs === null) continue;
      if (isCapped) this.#due.remove(webhook);
      else this.#due.add(webhook);
    }
  }

  /** Up to `limit` webhooks that can start an attempt, those first that have waited longest. */
  webhooksDue(nowMs: number, limit: number): readonly MemoryWebhook[] {
    return this.#due.range(-Infinity, nowMs + 1, limit);
  }

  /** When the next webhook can start an attempt or the next lease ends, ms; `null`: nothing waits or is in flight. */
  nextAtMs(): number | null {
    const dueAtMs = this.#due.first?.sortKey ?? Infinity;
    const nextAtMs = Math.min(dueAtMs, this.#leased.first?.sortKey ?? Infinity);
    return nextAtMs === Infinity ? null : nextAtMs;
  }

  /** The first delivery whose lease has ended. */
  firstStalled(nowMs: number): MemoryDelivery | null {
    const first = this.#leased.first;
    return first !== undefined && first.sortKey <= nowMs ? first.delivery : null;
  }

  /** Leases a delivery that waits for nothing any more. The caller counts its attempt in the queue and the account. */
  lease(delivery: MemoryDelivery, lease: Lease): void {
    delivery.wait = { for: 'end_of_attempt', lease };
    this.#addEntry(this.#leased, delivery, lease.endsAtMs);
  }

  /** Ends the lease of a delivery, which then waits for nothing. */
  endLease(delivery: MemoryDelivery, nowMs: number): void {
    const { webhook } = delivery;
    this.#removeEntry(this.#leased, delivery);
    delivery.wait = null;
    webhook.account.inFlight -= 1;
    this.setCapped(webhook.account, false);
    this.setQueue(webhook, queueAfterAttempt(webhook.queue, webhook.record, nowMs));
  }

  /** `atMs` is `null` for a delivery that its worker has returned unsent: it comes before all others. */
  scheduleRetry(delivery: MemoryDelivery, atMs: number | null, nowMs: number): void {
    const { webhook } = delivery;
    this.unscheduleRetry(delivery);
    delivery.wait = { for: 'retry', atMs };
    this.#addEntry(webhook.retries, delivery, atMs ?? -1);
    const queue = { ...webhook.queue, retries: webhook.queue.retries + 1 };
    this.setQueue(webhook, queueDueBy(queue, webhook.record, atMs ?? nowMs));
  }

  unscheduleRetry(delivery: MemoryDelivery): void {
    const { webhook, wait } = delivery;
    if (wait?.for !== 'retry') return;
    this.#removeEntry(webhook.retries, delivery);
    delivery.wait = null;
    this.setQueue(webhook, { ...webhook.queue, retries: webhook.queue.retries - 1 });
  }

  /** Ends a delivery that waits for nothing any more, and deletes the oldest delivered ones beyond the limit. */
  end(delivery: MemoryDelivery, progress: DeliveryProgress): void {
    delivery.progress = progress;
    delivery.wait = null;
    if (progress.state === 'failed') {
      this.#addEntry(delivery.webhook.failed, delivery, delivery.createdAtMs);
      return;
    }
    delivery.forgetDelivered = this.#delivered.append(delivery);
    const oldest = this.#delivered.first;
    if (oldest === undefined || this.#delivered.size <= this.#maxDelivered) return;
    const { message } = oldest;
    this.deleteDelivery(oldest);
    if (message.deliveries.size > 0) return;
    this.#messages.remove(message);
    this.#forgetMessage(message);
  }

  /** Gives a delivery that has ended, or waits for a retry, all of its attempts again. */
  startAgain(delivery: MemoryDelivery, progress: DeliveryProgress, nowMs: number): void {
    this.#forgetEnd(delivery);
    delivery.progress = progress;
    this.scheduleRetry(delivery, nowMs, nowMs);
  }

  /** Records that the deliveries up to `sequence` no longer wait for their first attempt. */
  setLastTaken(webhook: MemoryWebhook, sequence: number): void {
    const { queue, bySequence } = webhook;
    let lastTaken = sequence;
    // The deliveries after it may have expired already, and been deleted.
    while (lastTaken < queue.lastSequence && !bySequence.has(lastTaken + 1)) lastTaken += 1;
    this.setQueue(webhook, { ...queue, lastTaken });
  }

  /** Deletes a delivery that is not in flight. */
  deleteDelivery(delivery: MemoryDelivery): void {
    const { webhook, message, sequence, webhookId } = delivery;
    this.unscheduleRetry(delivery);
    this.#forgetEnd(delivery);
    message.deliveries.delete(webhookId);
    webhook.bySequence.delete(sequence);
    webhook.log.remove(delivery);
    if (sequence === webhook.queue.lastTaken + 1) this.setLastTaken(webhook, sequence);
    if (waitingInQueue(webhook.queue) === 0)
      this.setQueue(webhook, { ...webhook.queue, dueAtMs: null });
  }

  /** Deletes what has expired. A delivery in flight is kept until its lease ends. */
  deleteExpired(nowMs: number): void {
    for (let key = this.#keys.first; isExpired(key, nowMs); key = this.#keys.first) {
      this.#keys.remove(key);
      key.account.published.delete(key.key);
      this.accounts.closeIfEmpty(key.account);
    }
    let message = this.#messages.first;
    for (; isExpired(message, nowMs); message = this.#messages.first) {
      this.#messages.remove(message);
      for (const delivery of message.deliveries.values())
        if (delivery.wait?.for !== 'end_of_attempt') this.deleteDelivery(delivery);
      this.#forgetMessage(message);
    }
  }

  #addEntry(
    entries: SortedEntries<DeliveryEntry>,
    delivery: MemoryDelivery,
    sortKey: number,
  ): void {
    delivery.entry = { sortKey, tieBreaker: delivery.tieBreaker, delivery };
    entries.add(delivery.entry);
  }

  #removeEntry(entries: SortedEntries<DeliveryEntry>, delivery: MemoryDelivery): void {
    if (delivery.entry !== null) entries.remove(delivery.entry);
    delivery.entry = null;
  }

  #forgetEnd(delivery: MemoryDelivery): void {
    delivery.forgetDelivered?.();
    delivery.forgetDelivered = null;
    if (delivery.progress.state === 'failed') this.#removeEntry(delivery.webhook.failed, delivery);
  }

  #forgetMessage({ account, messageId }: MemoryMessage): void {
    account.messages.delete(messageId);
    this.accounts.closeIfEmpty(account);
  }
}

function isExpired<Expiring extends { readonly sortKey: number }>(
  entry: Expiring | undefined,
  nowMs: number,
): entry is Expiring {
  return entry !== undefined && entry.sortKey <= nowMs;
}

/** The lease of a delivery in flight. */
export function leaseOf({ wait }: MemoryDelivery): Lease {
  if (wait?.for !== 'end_of_attempt') throw new Error('The delivery is not in flight.');
  return wait.lease;
}
